package io.sagaspring.benchmarks;

import org.springframework.jdbc.core.simple.JdbcClient;

/** A way to move an entity from one stable status to the next while no other caller acts on it. */
interface Contender {

    /** Returns the name of the table that has this contender's entities. */
    String table();

    /**
     * Claims the entity, performs the action and moves the entity to its next stable status. The new status and the
     * action's changes are durable when this method returns.
     *
     * @return true if this caller made the transition
     */
    boolean tryStroke(long ball, Ball.Stroke stroke);

    /** Changes an entity as if another caller had claimed it and were still working. */
    default void giveToAnother(long ball, JdbcClient beside) {
        beside.sql("UPDATE %s SET status = ? WHERE id = ?".formatted(table()))
                .params(Ball.Status.SERVING.name(), ball)
                .update();
    }
}
