package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.StepContext;
import org.springframework.stereotype.Component;

@Component
class CloseBilling implements StepAction<Billing> {

    @Override
    public ActionResult run(Billing billing, StepContext context) {
        billing.closedBy(context.requester().name());
        return ActionResult.success();
    }
}
