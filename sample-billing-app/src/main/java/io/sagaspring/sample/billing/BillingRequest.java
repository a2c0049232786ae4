package io.sagaspring.sample.billing;

import io.sagaspring.sample.web.Storable;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import java.util.List;

/** The request to open a billing. */
record BillingRequest(
        @NotNull @Pattern(regexp = "\\d{4}-(0[1-9]|1[0-2])") String period,
        @NotNull List<@NotNull @Valid Line> invoices) {

    record Line(
            @NotBlank @Storable String number,
            @Positive long amountCents,

            @NotBlank @Email @Storable String customer) {}

    Billing toBilling() {
        Billing billing = new Billing(period);
        invoices.forEach(line -> billing.bill(line.number(), line.amountCents(), line.customer()));
        return billing;
    }
}
