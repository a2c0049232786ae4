package io.sagaspring.test.saga;

import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;

/** The store of a test's executions. */
interface TestStore {

    /** Removes all executions. */
    void clear();

    /**
     * Returns the store as a node of this name uses it.
     *
     * @param node the node's name
     */
    RunStore of(String node);

    /** Returns the transactions of steps. */
    StepTransactions transactions();
}
