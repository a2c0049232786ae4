package io.sagaspring.sample.checkout;

import static io.sagaspring.run.Retry.retry;

import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepSpec;
import io.sagaspring.sample.effects.Stock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Reserves the goods. The saga commits the row in the table {@code reservation} together with the journal entry, so
 * there is exactly one row.
 */
@Component
class ReserveStockTask implements SagaTask<Checkout, ReserveStockTask.Reservation> {

    private final JdbcClient database;
    private final Stock stock;

    ReserveStockTask(JdbcClient database, Stock stock) {
        this.database = database;
        this.stock = stock;
    }

    record Reservation(String reservation) {}

    @Override
    public Reservation call(StepContext<Checkout> context) throws InterruptedException {
        Trouble.before("reserve_stock", context);
        String order = context.input().orderId();
        database.sql("INSERT INTO reservation (key, order_id) VALUES (:key, :order)")
                .param("key", context.effectKey())
                .param("order", order)
                .update();
        stock.reserve(order, context.effectKey());
        return new Reservation(context.effectKey());
    }

    /**
     * Configures the retries of the compensation. The step itself is not retried: missing stock will not arrive within
     * a second.
     */
    @Override
    public void options(StepSpec<Checkout> step) {
        step.compensate(
                context -> compensate(context, context.result(Reservation.class).orElse(null)),
                retry().max(6).exponential(Duration.ofMillis(200)).jitter());
    }

    @Override
    public void compensate(StepContext<Checkout> context, @Nullable Reservation reserved) throws InterruptedException {
        Trouble.before("release_stock", context);
        String key = context.compensatedEffectKey();
        stock.release(context.input().orderId(), key, context.effectKey());
        database.sql("DELETE FROM reservation WHERE key = :key")
                .param("key", key)
                .update();
    }
}
