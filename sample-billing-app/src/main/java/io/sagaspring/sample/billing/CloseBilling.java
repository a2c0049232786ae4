package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class CloseBilling implements StepAction<Billing> {

    @Override
    public ActionResult run(Billing billing, ActionContext context) {
        billing.closedBy(context.requester().name());
        return ActionResult.success();
    }
}
