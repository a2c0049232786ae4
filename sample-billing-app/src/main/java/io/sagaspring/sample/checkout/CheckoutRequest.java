package io.sagaspring.sample.checkout;

import io.sagaspring.sample.web.Storable;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The request to check out. */
record CheckoutRequest(
        @NotBlank @Storable @Size(max = 200) String orderId,

        @Positive long amountCents,

        @NotBlank @Storable @Size(max = 1000) String paymentToken,

        @Nullable Map<String, String> simulate) {

    Checkout toCheckout(boolean simulated) {
        return new Checkout(
                orderId,
                amountCents,
                paymentToken,
                simulated && simulate != null ? Trouble.require(simulate) : Map.of());
    }
}
