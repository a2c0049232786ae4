/** Checkouts, which are paid and delivered, or refunded. Start reading at {@link CheckoutSaga}. */
@NullMarked
package com.example.shop.checkout;

import org.jspecify.annotations.NullMarked;
