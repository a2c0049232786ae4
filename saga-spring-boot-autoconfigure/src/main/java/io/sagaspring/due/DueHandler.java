package io.sagaspring.due;

import java.util.Set;

/**
 * Handles the background work of some queues.
 *
 * @since 0.1.0
 */
public interface DueHandler {

    /**
     * Returns the queues that this handler serves. A queue is one kind of work. A node picks up work only from queues
     * that it has a handler for.
     *
     * @return the names of the queues
     */
    Set<String> queues();

    /**
     * Does the work. The library calls this method outside any transaction. The same work may be delivered more than
     * once, with the same key.
     *
     * @param item the work
     * @throws Exception if the attempt failed; the work is then retried, or parked if no attempt is left
     */
    void handle(DueItem item) throws Exception;
}
