package com.example.docs.tables;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class PayInvoice implements StepAction<Invoice> {

    private final InvoiceRepository repository;

    PayInvoice(InvoiceRepository repository) {
        this.repository = repository;
    }

    @Override
    public ActionResult run(Invoice invoice, ActionContext context) {
        repository.save(invoice.paid("receipt for " + invoice.id()));
        return ActionResult.success();
    }
}
