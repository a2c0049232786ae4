package com.example.docs.listeners;

import org.springframework.stereotype.Component;

/** Stands in for the client of a message broker. */
@Component
class Broker {

    void send(OrderPlaced placed, String key) {}
}
