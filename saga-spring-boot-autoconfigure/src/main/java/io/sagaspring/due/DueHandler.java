package io.sagaspring.due;

import java.util.Set;

/**
 * Handles some kinds of background work.
 *
 * @since 0.1.0
 */
public interface DueHandler {

    /**
     * Returns the kinds of work that this handler can do. A node picks up only work of kinds that it has a handler for.
     *
     * @return the names of the kinds
     */
    Set<String> kinds();

    /**
     * Does the work. The library calls this method outside any transaction. The same work may be delivered more than
     * once, with the same key.
     *
     * @param item the work
     * @throws Exception if the attempt failed; the work is then retried, or parked if no attempt is left
     */
    void handle(DueItem item) throws Exception;
}
