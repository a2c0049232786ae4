package com.example.shop.checkout;

import io.sagaspring.saga.StepError;
import io.sagaspring.test.saga.EffectLog;
import io.sagaspring.test.saga.SagaScenario;
import io.sagaspring.test.saga.SagaTest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@SagaTest(CheckoutSaga.class)
class CheckoutSagaTests {

    private static final Checkout ORDER = new Checkout("o-1", 4200);

    @Autowired
    SagaScenario scenario;

    @Test
    void aCheckoutIsPaidAndDelivered() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .completed("deliver", Map.of("signedBy", "ada"))
                .then()
                .isCompleted()
                .hasContext("deliver", Map.of("signedBy", "ada"))
                .effects()
                .are("charge", "deliver")
                .eachOnce();
    }

    @Test
    void aCheckoutIsRefundedIfItCannotBeDelivered() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .failed("deliver", new StepError("undeliverable", "Nobody lives there."))
                .then()
                .isFailedWith("undeliverable")
                .compensatedInOrder("charge");
    }

    @Test
    void aCheckoutIsRefundedIfTheCourierDoesNotCallBack() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .timePasses(Duration.ofDays(3))
                .then()
                .isFailedWith("timeout")
                .compensatedInOrder("charge");
    }

    @Test
    void aCheckoutIsChargedOnceEvenIfItsNodeDies() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfterBodyOf("charge")
                .whenStarted()
                .resumed()
                .then()
                .effects()
                .calledTimes("charge", 2)
                .tookEffectOnce("charge");
    }

    @TestConfiguration
    static class Fakes {

        @Bean
        Payments payments(EffectLog effects) {
            return new Payments() {
                @Override
                public String charge(String order, long cents, String key) {
                    effects.record(key, cents);
                    return "charge-1";
                }

                @Override
                public void refund(String order, String key) {
                    effects.record(key, order);
                }
            };
        }

        @Bean
        Courier courier(EffectLog effects) {
            return (checkout, token, key) -> {
                effects.record(key, checkout);
                return "parcel-1";
            };
        }
    }
}
