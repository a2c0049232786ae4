package io.sagaspring.chaos;

import io.sagaspring.listener.DurableListener;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A durable listener that books each letter in the transaction that ends the delivery. */
record Register(JdbcClient books) {

    @DurableListener(id = "register", key = "#p0.key()", attempts = 1_000, transactional = true)
    void book(Postbox.Letter letter) {
        int unused = books.sql("INSERT INTO booked (letter, number) VALUES (?, ?)")
                .params(letter.key(), letter.number())
                .update();
    }
}
