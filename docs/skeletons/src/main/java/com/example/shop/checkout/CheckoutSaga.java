package com.example.shop.checkout;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.StepContext;
import java.time.Duration;
import org.springframework.stereotype.Component;

@Component
class CheckoutSaga implements Saga<Checkout> {

    static final String DELIVER = "deliver";

    private final Payments payments;
    private final Courier courier;

    CheckoutSaga(Payments payments, Courier courier) {
        this.payments = payments;
        this.courier = courier;
    }

    @Override
    public void define(SagaDefinition<Checkout> saga) {
        saga.idempotencyKey(checkout -> "checkout:" + checkout.orderId());
        saga.step("charge", this::charge)
                .compensate(this::refund)
                .retry(retry().max(5).exponential(Duration.ofSeconds(1)).jitter());
        saga.step(DELIVER, this::deliver).async().timeout(Duration.ofDays(3));
    }

    private Charge charge(StepContext<Checkout> context) {
        Checkout checkout = context.input();
        return new Charge(payments.charge(checkout.orderId(), checkout.cents(), context.effectKey()));
    }

    private void refund(StepContext<Checkout> context) {
        payments.refund(context.input().orderId(), context.effectKey());
    }

    /** Only begins the delivery: the courier calls back, with the token. */
    private Parcel deliver(StepContext<Checkout> context) {
        return new Parcel(courier.collect(context.executionId(), context.callbackToken(), context.effectKey()));
    }

    record Charge(String chargeId) {}

    record Parcel(String parcelId) {}
}
