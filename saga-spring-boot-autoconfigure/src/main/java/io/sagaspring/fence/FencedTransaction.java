package io.sagaspring.fence;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks the current thread's transaction as one that ends with a fence. Before the fence, such a transaction must not
 * take a lock that others may wait for. Code that would take such a lock checks the mark and throws.
 *
 * @since 0.1.0
 */
public final class FencedTransaction {

    private static final Object MARK = FencedTransaction.class;

    private FencedTransaction() {}

    /**
     * Marks the current transaction until {@link #end}. If the transaction is suspended, other transactions of the
     * thread are not marked.
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
