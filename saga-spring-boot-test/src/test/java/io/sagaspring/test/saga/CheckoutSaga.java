package io.sagaspring.test.saga;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.StepContext;
import java.time.Duration;
import java.util.Map;

/** A saga as in the documentation: without an annotation, and with tasks that no configuration class names. */
class CheckoutSaga implements Saga<Checkout> {

    private final EffectLog effects;
    private final Moods moods;

    CheckoutSaga(EffectLog effects, Moods moods) {
        this.effects = effects;
        this.moods = moods;
    }

    @Override
    public void define(SagaDefinition<Checkout> saga) {
        saga.idempotencyKey(order -> "checkout:" + order.orderId()).timeout(Duration.ofHours(2));
        saga.step("charge_card", this::charge)
                .compensate(this::record)
                .retry(retry().max(3).exponential(Duration.ofSeconds(10)));
        saga.task("reserve_stock", ReserveStock.class);
        saga.task("arrange_fulfillment", Fulfillment.class).async().timeout(Duration.ofMinutes(15));
        saga.waitForSignal("approval").runIf(context -> context.input().amount() > 1_000);
        saga.step("send_receipt", this::record).fireAndForget();
    }

    private Map<String, Object> charge(StepContext<Checkout> context) {
        moods.check(context.step());
        boolean isNew = effects.record(context, context.input().amount());
        return Map.of("payment", "p-" + context.input().orderId(), "charged", isNew);
    }

    private boolean record(StepContext<Checkout> context) {
        moods.check(context.step());
        return effects.record(context, null);
    }
}
