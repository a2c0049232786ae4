package io.sagaspring.benchmarks;

import org.springframework.jdbc.core.simple.JdbcClient;

/** One way to take an entity from one stable status into the next while nobody else acts on it. */
interface Contender {

    /** The table of its balls. */
    String table();

    /**
     * Claims, acts and moves on, each durable when this returns.
     *
     * @return whether it was this caller who did
     */
    boolean tryStroke(long ball, Ball.Stroke stroke);

    /** As if another had claimed it and were at it ever since. */
    default void giveToAnother(long ball, JdbcClient beside) {
        beside.sql("UPDATE %s SET status = ? WHERE id = ?".formatted(table()))
                .params(Ball.Status.SERVING.name(), ball)
                .update();
    }
}
