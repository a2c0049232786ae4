package com.example.docs.sagas;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class ReserveStock implements SagaTask<Order, ReserveStock.Reservation> {

    private final JdbcClient database;

    ReserveStock(JdbcClient database) {
        this.database = database;
    }

    record Reservation(long reservation) {}

    @Override
    public Reservation call(StepContext<Order> context) {
        return new Reservation(database.sql("INSERT INTO reservation (order_id) VALUES (?) RETURNING id")
                .param(context.input().id())
                .query(Long.class)
                .single());
    }

    @Override
    public void compensate(StepContext<Order> context, @Nullable Reservation reserved) {
        if (reserved != null) {
            database.sql("DELETE FROM reservation WHERE id = ?")
                    .param(reserved.reservation())
                    .update();
        }
    }
}
