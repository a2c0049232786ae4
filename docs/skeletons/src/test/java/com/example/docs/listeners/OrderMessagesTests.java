package com.example.docs.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.test.listener.DurableListeners;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

@SpringBootTest
@TestPropertySource(
        properties = {
            "spring.config.name=none",
            "spring.main.web-application-type=none",
            "spring.flyway.enabled=false",
            "saga.listeners.enabled=false",
            "saga.listeners.delay=0s"
        })
@FreshDatabase
class OrderMessagesTests {

    @Autowired
    Checkout checkout;

    @Autowired
    DurableListeners listeners;

    @Test
    void theMessagesOfAnOrderAreSentOnceAndInSequence() {
        checkout.place("o1", "ada");
        checkout.place("o1", "grace");
        checkout.place("o2", "ada");

        assertThat(listeners.deliverNow()).isEqualTo(3);
        listeners.assertDeliveredOnceAndInOrder("order-messages", 3);
        assertThat(listeners.parked()).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OrderMessages.class, Broker.class, Checkout.class, DurableListeners.class})
    static class Application {}
}
