package io.sagaspring.sample.billing;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A payment as clients see it. */
record PaymentView(@Nullable Long id, long amountCents, String reference, Instant at) {

    static PaymentView of(Payment payment) {
        return new PaymentView(payment.id(), payment.amountCents(), payment.reference(), payment.at());
    }
}
