package io.sagaspring.benchmarks;

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
}
