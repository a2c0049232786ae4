package io.sagaspring.fence;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks the current thread's transaction as that of a workflow step that has claimed its entity. The last statements of
 * such a transaction are its fence: they end the claim. Before the fence, the transaction must not take a lock for
 * which other callers wait. The step might wait for one of these callers, and the database would not detect the
 * deadlock. Code that would take such a lock checks the mark and throws an exception.
 *
 * @since 0.1.0
 */
public final class FencedTransaction {

    private static final Object MARK = FencedTransaction.class;

    private FencedTransaction() {}

    /**
     * Marks the current transaction until {@link #end}. While the transaction is suspended, another transaction of the
     * same thread is not marked.
     */
    public static void begin() {
        TransactionSynchronizationManager.bindResource(MARK, MARK);
        TransactionSynchronizationManager.registerSynchronization(new Suspension());
    }

    private static final class Suspension implements TransactionSynchronization {
        private boolean marked;

        @Override
        public void suspend() {
            marked = TransactionSynchronizationManager.unbindResourceIfPossible(MARK) != null;
        }

        @Override
        public void resume() {
            if (marked) {
                TransactionSynchronizationManager.bindResource(MARK, MARK);
            }
        }
    }

    /** Removes the mark. */
    public static void end() {
        TransactionSynchronizationManager.unbindResource(MARK);
    }

    /**
     * Returns true if the current transaction is marked.
     *
     * @return true if the transaction ends with a fence
     */
    public static boolean isCurrent() {
        return TransactionSynchronizationManager.hasResource(MARK);
    }
}
