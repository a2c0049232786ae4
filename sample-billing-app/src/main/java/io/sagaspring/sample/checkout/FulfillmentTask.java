package io.sagaspring.sample.checkout;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import io.sagaspring.sample.effects.Courier;
import io.sagaspring.sample.effects.Courier.Parcel;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Hands the parcel to the courier, who reports the delivery to {@link CourierController}. */
@Component
class FulfillmentTask implements SagaTask<Checkout, FulfillmentTask.Shipment> {

    static final String STEP = "arrange_fulfillment";

    private final Courier courier;

    FulfillmentTask(Courier courier) {
        this.courier = courier;
    }

    record Shipment(String shipmentId) {}

    @Override
    public Shipment call(StepContext<Checkout> context) throws InterruptedException {
        Trouble.before(STEP, context);
        Checkout order = context.input();
        Parcel parcel = new Parcel(
                order.orderId(),
                context.executionId(),
                context.callbackToken(),
                Trouble.isDeliveredByTheCourierHimself(order));
        return new Shipment(courier.ship(parcel, context.effectKey()));
    }

    @Override
    public void compensate(StepContext<Checkout> context, @Nullable Shipment shipment) throws InterruptedException {
        Trouble.before("cancel_shipment", context);
        courier.cancel(context.input().orderId(), context.compensatedEffectKey(), context.effectKey());
    }
}
