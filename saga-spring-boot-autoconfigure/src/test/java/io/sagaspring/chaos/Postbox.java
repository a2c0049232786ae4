package io.sagaspring.chaos;

import io.sagaspring.listener.Delivery;
import io.sagaspring.listener.DurableListener;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A durable listener with a side effect outside the library's transactions. */
final class Postbox {

    /**
     * An event. The events of a key are numbered in the order in which their publishers commit.
     *
     * @param key the key
     * @param number the number of the event among the events of its key
     */
    record Letter(String key, int number) {}

    private final JdbcClient effects;
    private final String node;
    volatile boolean isJammed;

    Postbox(JdbcClient effects, String node) {
        this.effects = effects;
        this.node = node;
    }

    @DurableListener(id = "postbox", key = "#p0.key()", attempts = 1_000)
    void receive(Letter letter, Delivery delivery) {
        if (isJammed) {
            throw new IllegalStateException("jammed");
        }
        int unused = effects.sql("INSERT INTO effect_received (delivery_key, letter, number, node) VALUES (?, ?, ?, ?)")
                .params(delivery.key(), letter.key(), letter.number(), node)
                .update();
    }
}
