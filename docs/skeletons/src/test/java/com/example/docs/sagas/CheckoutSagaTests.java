package com.example.docs.sagas;

import io.sagaspring.test.saga.EffectLog;
import io.sagaspring.test.saga.SagaScenario;
import io.sagaspring.test.saga.SagaTest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

@SagaTest(CheckoutSaga.class)
class CheckoutSagaTests {

    private static final Order ORDER = new Order("o-1", 4200, "tok_1");

    @Autowired
    SagaScenario scenario;

    @MockitoBean
    ReserveStock stock;

    @Test
    void everyStepIsCompensatedIfNoCallbackComes() {
        scenario.given(CheckoutSaga.class, ORDER)
                .whenStarted()
                .timePasses(Duration.ofHours(2))
                .then()
                .isFailedWith("timeout")
                .compensatedInOrder("arrange_fulfillment", "reserve_stock", "charge_card");
    }

    @Test
    void aCardIsChargedOnceEvenIfTheNodeDies() {
        scenario.given(CheckoutSaga.class, ORDER)
                .crashesAfterBodyOf("charge_card")
                .whenStarted()
                .resumed()
                .completed("arrange_fulfillment", Map.of("delivered", true))
                .then()
                .isCompleted()
                .effects()
                .calledTimes("charge_card", 2)
                .tookEffectOnce("charge_card");
    }

    @TestConfiguration
    static class Fakes {

        @Bean
        World.Payments payments(EffectLog effects) {
            return new World.Payments() {

                @Override
                public String charge(Order order, String key) {
                    effects.record(key, order.cents());
                    return "charge-" + order.id();
                }

                @Override
                public void refund(String keyOfCharge, String key) {
                    effects.record(key, keyOfCharge);
                }
            };
        }

        @Bean
        World.Courier courier(EffectLog effects) {
            return new World.Courier() {

                @Override
                public String ship(Order order, String execution, String callbackToken, String key) {
                    effects.record(key, order.id());
                    return "shipment-" + order.id();
                }

                @Override
                public void cancel(String keyOfShipment, String key) {
                    effects.record(key, keyOfShipment);
                }
            };
        }

        @Bean
        World.Mailer mailer(EffectLog effects) {
            return (order, key) -> {
                effects.record(key, order.id());
                return "mail-" + order.id();
            };
        }
    }
}
