package com.example.docs.idempotency;

import io.sagaspring.idempotency.Idempotent;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

@Service
class Orders {

    private final JdbcClient database;

    Orders(JdbcClient database) {
        this.database = database;
    }

    record Order(String requestId, String shop, long cents) {}

    record Receipt(long number) {}

    @Idempotent(requestId = "#order.requestId()", account = "#order.shop()", operation = "'place-order'")
    public Receipt place(Order order) {
        return new Receipt(database.sql("INSERT INTO placed_order (shop, cents) VALUES (?, ?) RETURNING id")
                .params(order.shop(), order.cents())
                .query(Long.class)
                .single());
    }
}
