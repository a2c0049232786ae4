package io.sagaspring.test.saga;

import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;

/** Stores a test's executions. */
interface TestStore {

    /**
     * The store for use by one node.
     *
     * @param runs the store of the runs
     * @param queues the part of the store that lets runs of queues begin
     */
    record Stores(RunStore runs, QueueStore queues) {}

    /** Removes all executions, and all queues. */
    void clear();

    /**
     * Returns the store for use by the node with this name.
     *
     * @param node the node's name
     */
    Stores of(String node);

    /** Returns the transactions for steps. */
    StepTransactions transactions();
}
