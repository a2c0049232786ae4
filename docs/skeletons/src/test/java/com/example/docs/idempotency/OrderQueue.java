package com.example.docs.idempotency;

import io.sagaspring.idempotency.Fingerprint;
import io.sagaspring.idempotency.Idempotency;
import io.sagaspring.idempotency.IdempotencyKey;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Places the orders of a queue. A message may be delivered twice, so its id is the request id. */
@Component
class OrderQueue {

    private final Idempotency idempotency;
    private final JdbcClient database;

    OrderQueue(Idempotency idempotency, JdbcClient database) {
        this.idempotency = idempotency;
        this.database = database;
    }

    record Receipt(long number) {}

    Receipt receive(String messageId, String shop, byte[] body) {
        return idempotency.execute(
                IdempotencyKey.of("place-order", messageId).onAccount(shop).about(Fingerprint.of(body)),
                Receipt.class,
                () -> place(shop, body));
    }

    private Receipt place(String shop, byte[] body) {
        return new Receipt(database.sql("INSERT INTO placed_order (shop, body) VALUES (?, ?) RETURNING id")
                .params(shop, body)
                .query(Long.class)
                .single());
    }
}
