package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.NonIdempotent;
import io.sagaspring.workflow.StepAction;
import java.util.Objects;
import org.springframework.stereotype.Component;

/**
 * Replaces an invoice with a clone that has the same number. Two concurrent calls would make two clones, so the action
 * is marked {@code @NonIdempotent}.
 */
@Component
@NonIdempotent
class RegenerateInvoice implements StepAction<Invoice> {

    private final Invoices invoices;

    RegenerateInvoice(Invoices invoices) {
        this.invoices = invoices;
    }

    @Override
    public ActionResult run(Invoice invoice, ActionContext context) {
        invoice.delete();
        Invoice clone = invoices.save(invoice.cloned());
        return ActionResult.success(Objects.requireNonNull(clone.id()));
    }
}
