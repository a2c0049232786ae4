/**
 * Checkouts: an order is paid, reserved, shipped and approved. If a step fails, the checkout is compensated. No code
 * here deals with crashes; each step only defines its compensation. Start reading at {@link
 * io.sagaspring.sample.checkout.CheckoutSaga}.
 */
@NullMarked
package io.sagaspring.sample.checkout;

import org.jspecify.annotations.NullMarked;
