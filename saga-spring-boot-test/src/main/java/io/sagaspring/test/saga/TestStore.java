package io.sagaspring.test.saga;

import io.sagaspring.run.RunStore;
import io.sagaspring.run.StepTransactions;

/** Where the executions of a test are kept. */
interface TestStore {

    /** Forgets all executions. */
    void clear();

    /**
     * The executions as a node of this name sees them.
     *
     * @param node its name
     */
    RunStore of(String node);

    /** Transactions of steps. */
    StepTransactions transactions();
}
