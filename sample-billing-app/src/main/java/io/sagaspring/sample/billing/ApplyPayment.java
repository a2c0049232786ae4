package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.NonIdempotent;
import io.sagaspring.workflow.StepAction;
import java.time.Instant;
import org.springframework.stereotype.Component;

/**
 * Records a payment. Two concurrent calls would record two payments, so the action is marked {@code @NonIdempotent}.
 */
@Component
@NonIdempotent
class ApplyPayment implements StepAction<Invoice> {

    private final Payments payments;

    ApplyPayment(Payments payments) {
        this.payments = payments;
    }

    @Override
    public ActionResult run(Invoice invoice, ActionContext context) {
        PaymentRequest paid = context.input(PaymentRequest.class);
        payments.save(new Payment(invoice, paid.amountCents(), paid.reference(), Instant.now()));
        return ActionResult.success();
    }
}
