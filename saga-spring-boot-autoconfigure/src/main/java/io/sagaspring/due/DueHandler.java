package io.sagaspring.due;

import java.util.Set;

/**
 * Does the work of some queues.
 *
 * @since 0.1.0
 */
public interface DueHandler {

    /**
     * The queues it knows. What is in others is left to nodes that know them.
     *
     * @return their names
     */
    Set<String> queues();

    /**
     * Does the work, outside any transaction. It may have been done before: the key is the same then.
     *
     * @param item the work
     * @throws Exception if it has to be tried again
     */
    void handle(DueItem item) throws Exception;
}
