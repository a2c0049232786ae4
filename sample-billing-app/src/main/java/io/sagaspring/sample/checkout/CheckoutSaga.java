package io.sagaspring.sample.checkout;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.StepContext;
import io.sagaspring.sample.effects.Mailer;
import io.sagaspring.sample.effects.PaymentProvider;
import java.time.Duration;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Shows every kind of step: a method, a bean, a wait for a signal, a lambda. */
@Component
class CheckoutSaga implements Saga<Checkout> {

    private static final String KEY = "checkout:";

    private final PaymentProvider payments;
    private final Mailer mailer;

    CheckoutSaga(PaymentProvider payments, Mailer mailer) {
        this.payments = payments;
        this.mailer = mailer;
    }

    @Override
    public void define(SagaDefinition<Checkout> saga) {
        saga.idempotencyKey(order -> KEY + order.orderId()).timeout(Duration.ofMinutes(30));
        saga.step("charge_card", this::chargeCard)
                .compensate(this::refundPayment)
                .retry(retry().max(6).exponential(Duration.ofMillis(200)).jitter());
        saga.task("reserve_stock", ReserveStockTask.class).dedupe();
        saga.task("arrange_fulfillment", FulfillmentTask.class)
                .async()
                .timeout(Duration.ofMinutes(15))
                .retry(retry().max(3).delay(Duration.ofMillis(200)));
        saga.waitForSignal("approval").runIf(context -> context.input().needsApproval());
        saga.step("send_receipt", context -> {
                    Trouble.before("send_receipt", context);
                    mailer.send("customer@example.org", context.input().orderId(), context.effectKey());
                    return null;
                })
                .fireAndForget();
    }

    /** Returns the order id from the key, because an execution in a list comes without its input. */
    static String orderOf(ExecutionView seen) {
        return Objects.requireNonNull(seen.key()).substring(KEY.length());
    }

    record Charge(String chargeId) {}

    private Charge chargeCard(StepContext<Checkout> context) throws InterruptedException {
        Trouble.before("charge_card", context);
        Checkout order = context.input();
        return new Charge(
                payments.charge(order.orderId(), order.amountCents(), order.paymentToken(), context.effectKey()));
    }

    /** Refunds by the key of the charge, not by its id: if the process died during the charge, the id is unknown. */
    private void refundPayment(StepContext<Checkout> context) throws InterruptedException {
        Trouble.before("refund_payment", context);
        payments.refund(context.input().orderId(), context.compensatedEffectKey(), context.effectKey());
    }
}
