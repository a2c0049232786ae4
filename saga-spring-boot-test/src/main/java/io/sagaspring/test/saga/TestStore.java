package io.sagaspring.test.saga;

import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;

/** Stores a test's executions. */
interface TestStore {

    /** Removes all executions. */
    void clear();

    /**
     * Returns the store for use by the node with this name.
     *
     * @param node the node's name
     */
    RunStore of(String node);

    /** Returns the transactions for steps. */
    StepTransactions transactions();
}
