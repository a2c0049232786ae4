package com.example.docs.listeners;

import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DurableListener;
import org.springframework.stereotype.Component;

@Component
class OrderMessages {

    private final Broker broker;

    OrderMessages(Broker broker) {
        this.broker = broker;
    }

    @DurableListener(id = "order-messages", key = "#placed.orderId()", attempts = 10)
    void on(OrderPlaced placed, Delivery delivery) {
        broker.send(placed, delivery.key());
    }
}
