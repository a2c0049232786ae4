package com.example.docs.listeners;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Checkout {

    private final ApplicationEventPublisher events;

    Checkout(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Transactional
    public void place(String orderId, String customer) {
        // … save the order …
        events.publishEvent(new OrderPlaced(orderId, customer));
    }
}
