package io.sagaspring.test.saga;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import java.util.Map;

/** Begins a shipment. Another system reports its completion by a callback. */
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
