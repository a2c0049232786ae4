package io.sagaspring.fence;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks the transaction of this thread as one that ends with a fence. It takes no lock that others wait for before that,
 * and so nobody may have it take one: what would, asks here and refuses.
 *
 * @since 0.1.0
 */
public final class FencedTransaction {

    private static final Object MARK = FencedTransaction.class;

    private FencedTransaction() {}

    /** Marks the current transaction, until {@link #end}. While it is suspended, the thread's is another one. */
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
     * Whether the current transaction is marked.
     *
     * @return whether it ends with a fence
     */
    public static boolean isCurrent() {
        return TransactionSynchronizationManager.hasResource(MARK);
    }
}
