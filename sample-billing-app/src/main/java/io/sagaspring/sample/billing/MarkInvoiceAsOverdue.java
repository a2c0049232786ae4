package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

/** Does nothing: the step itself changes the status. */
@Component
class MarkInvoiceAsOverdue implements StepAction<Invoice> {

    @Override
    public ActionResult run(Invoice invoice, ActionContext context) {
        return ActionResult.success();
    }
}
