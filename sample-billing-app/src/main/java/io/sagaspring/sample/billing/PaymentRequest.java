package io.sagaspring.sample.billing;

import io.sagaspring.sample.web.Storable;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;

/** What a client sends to pay an invoice, and what the action gets along. */
record PaymentRequest(
        @Positive long amountCents, @NotBlank @Storable String reference) {}
