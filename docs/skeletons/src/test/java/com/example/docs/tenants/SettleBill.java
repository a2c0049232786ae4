package com.example.docs.tenants;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class SettleBill implements StepAction<Bill> {
    @Override
    public ActionResult run(Bill bill, ActionContext context) {
        return ActionResult.success();
    }
}
