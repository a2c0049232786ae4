package com.example.docs.leases;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class CloseBilling implements StepAction<Billing> {

    private final Provider provider;

    CloseBilling(Provider provider) {
        this.provider = provider;
    }

    @Override
    public ActionResult run(Billing billing, ActionContext context) {
        String receipt = provider.charge(billing.cents(), context.token().orElseThrow());
        billing.close(receipt);
        return ActionResult.success();
    }
}
