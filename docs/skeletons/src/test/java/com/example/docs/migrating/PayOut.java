package com.example.docs.migrating;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import org.springframework.stereotype.Component;

@Component
class PayOut implements StepAction<Payout> {

    private final Bank bank;

    PayOut(Bank bank) {
        this.bank = bank;
    }

    @Override
    public ActionResult run(Payout payout, ActionContext context) {
        payout.paidBy(bank.transfer(payout.iban(), payout.cents(), "payout-" + payout.id()));
        return ActionResult.success();
    }
}
