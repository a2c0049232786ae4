package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

/** Does nothing: the step itself changes the status. */
@Component
class ApproveBilling implements StepAction<Billing> {

    @Override
    public ActionResult run(Billing billing, ActionContext context) {
        return ActionResult.success();
    }
}
