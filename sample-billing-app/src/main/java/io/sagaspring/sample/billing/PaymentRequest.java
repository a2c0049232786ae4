package io.sagaspring.sample.billing;

import io.sagaspring.sample.web.Storable;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;

/** The request to pay an invoice, which is also the action's input. */
record PaymentRequest(
        @Positive long amountCents, @NotBlank @Storable String reference) {}
