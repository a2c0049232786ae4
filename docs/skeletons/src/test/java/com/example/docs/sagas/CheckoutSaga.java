package com.example.docs.sagas;

import static io.sagaspring.run.Retry.retry;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.StepContext;
import org.springframework.stereotype.Component;

@Component
class CheckoutSaga implements Saga<Order> {

    private final World.Payments payments;
    private final World.Mailer mailer;

    CheckoutSaga(World.Payments payments, World.Mailer mailer) {
        this.payments = payments;
        this.mailer = mailer;
    }

    @Override
    public void define(SagaDefinition<Order> saga) {
        saga.idempotencyKey(order -> "checkout:" + order.id())
                .defaults(retry().max(5).exponential(ofSeconds(1)).jitter())
                .timeout(ofDays(2));
        saga.step("charge_card", this::chargeCard).timeout(ofSeconds(20)).compensate(this::refundPayment);
        saga.task("reserve_stock", ReserveStock.class).dedupe();
        saga.task("arrange_fulfillment", Fulfillment.class).async().timeout(ofMinutes(15));
        saga.waitForSignal("approval")
                .runIf(context -> context.input().isLarge())
                .timeout(ofDays(1));
        saga.step("send_receipt", context -> mailer.receipt(context.input(), context.effectKey()))
                .fireAndForget();
    }

    private String chargeCard(StepContext<Order> context) {
        return payments.charge(context.input(), context.effectKey());
    }

    /**
     * Refunds by the key of the charge, not by its number: if the process died during the charge, the number is
     * unknown.
     */
    private void refundPayment(StepContext<Order> context) {
        payments.refund(context.compensatedEffectKey(), context.effectKey());
    }
}
