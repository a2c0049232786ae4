/**
 * Checkouts: an order is paid, reserved, shipped and approved, or all of it is undone. Nothing here knows of crashes, and
 * each step says how it is undone. Start reading at {@link io.sagaspring.sample.checkout.CheckoutSaga}.
 */
@NullMarked
package io.sagaspring.sample.checkout;

import org.jspecify.annotations.NullMarked;
