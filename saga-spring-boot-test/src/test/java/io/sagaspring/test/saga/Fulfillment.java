package io.sagaspring.test.saga;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import java.util.Map;

/** Starts a shipment. Another system reports with a callback that the shipment is complete. */
class Fulfillment implements SagaTask<Checkout, Map<String, Object>> {

    private final EffectLog effects;

    Fulfillment(EffectLog effects) {
        this.effects = effects;
    }

    @Override
    public Map<String, Object> call(StepContext<Checkout> context) {
        boolean unused = effects.record(context, context.callbackToken());
        context.correlate("shipment-" + context.input().orderId());
        return Map.of();
    }
}
