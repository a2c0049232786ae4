package com.example.docs.tables;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepActionById;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class ArchiveInvoice implements StepActionById<Long> {

    private final JdbcClient database;

    ArchiveInvoice(JdbcClient database) {
        this.database = database;
    }

    @Override
    public ActionResult run(Long invoice, ActionContext context) {
        database.sql("INSERT INTO archived_invoices SELECT id, receipt FROM invoices WHERE id = ?")
                .param(invoice)
                .update();
        return ActionResult.success();
    }
}
