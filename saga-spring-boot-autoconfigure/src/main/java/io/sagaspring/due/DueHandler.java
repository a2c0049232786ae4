package io.sagaspring.due;

import java.util.Set;

/**
 * Handles the background work of some queues.
 *
 * @since 0.1.0
 */
public interface DueHandler {

    /**
     * Returns the queues that this handler serves. Nodes that have handlers for the other queues pick up the work in
     * those queues.
     *
     * @return the names of the queues
     */
    Set<String> queues();

    /**
     * Does the work. The library calls this method outside any transaction. The same work may be delivered more than
     * once, with the same key.
     *
     * @param item the work
     * @throws Exception if the work must be retried
     */
    void handle(DueItem item) throws Exception;
}
