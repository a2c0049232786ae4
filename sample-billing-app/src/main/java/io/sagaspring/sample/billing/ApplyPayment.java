package io.sagaspring.sample.billing;

import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.NonIdempotent;
import io.sagaspring.workflow.StepAction;
import java.time.Instant;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Records a payment. Two concurrent calls would record two payments, so the action is marked {@code @NonIdempotent}. The
 * event is stored in the same commit as the payment.
 */
@Component
@NonIdempotent
class ApplyPayment implements StepAction<Invoice> {

    private final Payments payments;
    private final ApplicationEventPublisher events;

    ApplyPayment(Payments payments, ApplicationEventPublisher events) {
        this.payments = payments;
        this.events = events;
    }

    @Override
    public ActionResult run(Invoice invoice, ActionContext context) {
        PaymentRequest paid = context.input(PaymentRequest.class);
        Payment payment = payments.save(new Payment(invoice, paid.amountCents(), paid.reference(), Instant.now()));
        events.publishEvent(new PaymentReceived(invoice.customer(), payment.amountCents(), payment.at()));
        return ActionResult.success();
    }
}
