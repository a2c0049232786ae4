package io.sagaspring.test.saga;

import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;

/** Stores a test's executions. */
interface TestStore {

    /**
     * The two parts of the store that one node uses.
     *
     * @param runs the store of the runs
     * @param queues the store of the queues, which decides when their runs may begin
     */
    record Stores(RunStore runs, QueueStore queues) {}

    /** Removes all executions, and all queues. */
    void clear();

    /**
     * Returns the stores that the node with this name uses.
     *
     * @param node the node's name
     */
    Stores of(String node);

    /** Returns the transactions of transactional steps. */
    StepTransactions transactions();
}
