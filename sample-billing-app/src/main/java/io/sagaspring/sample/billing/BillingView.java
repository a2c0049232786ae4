package io.sagaspring.sample.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A billing as clients see it. */
record BillingView(@Nullable Long id, String period, BillingStatus status, long version, List<InvoiceView> invoices) {

    static BillingView of(Billing billing) {
        return new BillingView(
                billing.id(),
                billing.period(),
                billing.status(),
                billing.version(),
                billing.invoices().stream().map(InvoiceView::of).toList());
    }
}
