package com.example.docs.sagas;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Hands the parcel to the courier, who calls back when it is delivered. */
@Component
class Fulfillment implements SagaTask<Order, Fulfillment.Shipment> {

    private final World.Courier courier;

    Fulfillment(World.Courier courier) {
        this.courier = courier;
    }

    record Shipment(String shipment) {}

    @Override
    public Shipment call(StepContext<Order> context) {
        return new Shipment(
                courier.ship(context.input(), context.executionId(), context.callbackToken(), context.effectKey()));
    }

    @Override
    public void compensate(StepContext<Order> context, @Nullable Shipment shipment) {
        courier.cancel(context.compensatedEffectKey(), context.effectKey());
    }
}
