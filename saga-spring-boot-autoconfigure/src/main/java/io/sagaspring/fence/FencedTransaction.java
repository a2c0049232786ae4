package io.sagaspring.fence;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks the transaction of this thread as one that ends with a fence. Before the fence, such a transaction must not take a lock
 * that others wait for. Code that would take one checks the mark and refuses.
 *
 * @since 0.1.0
 */
public final class FencedTransaction {

    private static final Object MARK = FencedTransaction.class;

    private FencedTransaction() {}

    /** Marks the current transaction until {@link #end}. While it is suspended, another transaction of the thread is not marked. */
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
     * Tells whether the current transaction is marked.
     *
     * @return true if it ends with a fence
     */
    public static boolean isCurrent() {
        return TransactionSynchronizationManager.hasResource(MARK);
    }
}
