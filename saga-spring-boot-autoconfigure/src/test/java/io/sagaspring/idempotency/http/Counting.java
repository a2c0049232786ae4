package io.sagaspring.idempotency.http;

import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Statements;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;

/** Executes an action after a given number of statements about keys. */
final class Counting implements Interference.Around {

    private final AtomicInteger left;
    private final Runnable then;

    Counting(int times, Runnable then) {
        this.left = new AtomicInteger(times);
        this.then = then;
    }

    @Override
    public void after(String sql, Connection connection) {
        if (Statements.isOf(sql, "key") && left.decrementAndGet() == 0) {
            then.run();
        }
    }
}
