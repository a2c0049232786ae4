package io.sagaspring.test.saga;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import java.util.Map;

/** Begins something of which somebody else says when it is over. */
class Fulfillment implements SagaTask<Checkout, Map<String, Object>> {

    private final EffectLog world;

    Fulfillment(EffectLog world) {
        this.world = world;
    }

    @Override
    public Map<String, Object> call(StepContext<Checkout> context) {
        boolean unused = world.record(context, context.callbackToken());
        context.correlate("shipment-" + context.input().orderId());
        return Map.of();
    }
}
