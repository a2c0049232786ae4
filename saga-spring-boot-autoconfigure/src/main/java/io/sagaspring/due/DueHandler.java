package io.sagaspring.due;

import java.util.Set;

/**
 * Handles the background work of some queues.
 *
 * @since 0.1.0
 */
public interface DueHandler {

    /**
     * Returns the queues of this handler. Work of other queues is left to nodes that have a handler for them.
     *
     * @return the names of the queues
     */
    Set<String> queues();

    /**
     * Does the work, outside any transaction. The same work may be delivered more than once, with the same key.
     *
     * @param item the work
     * @throws Exception if the work has to be retried
     */
    void handle(DueItem item) throws Exception;
}
