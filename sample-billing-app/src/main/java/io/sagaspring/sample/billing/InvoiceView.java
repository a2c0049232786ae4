package io.sagaspring.sample.billing;

import org.jspecify.annotations.Nullable;

/** An invoice as clients see it. */
record InvoiceView(
        @Nullable Long id,
        @Nullable Long billingId,
        String number,
        InvoiceStatus status,
        long amountCents,
        String customer,
        boolean deleted) {

    static InvoiceView of(Invoice invoice) {
        return new InvoiceView(
                invoice.id(),
                invoice.billing().id(),
                invoice.number(),
                invoice.status(),
                invoice.amountCents(),
                invoice.customer(),
                invoice.deleted());
    }
}
