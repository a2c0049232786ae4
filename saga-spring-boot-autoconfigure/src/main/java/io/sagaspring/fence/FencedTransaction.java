package io.sagaspring.fence;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks the transaction of this thread as one that ends with a fence. It takes no lock that others wait for before that,
 * and so nobody may have it take one: what would, asks here and refuses.
 */
public final class FencedTransaction implements AutoCloseable {

    private static final Object MARK = FencedTransaction.class;

    private FencedTransaction() {
        TransactionSynchronizationManager.bindResource(MARK, this);
    }

    /**
     * Marks the current transaction.
     *
     * @return to be closed before its end
     */
    public static FencedTransaction begin() {
        return new FencedTransaction();
    }

    /**
     * Whether the current transaction is marked.
     *
     * @return whether it ends with a fence
     */
    public static boolean isCurrent() {
        return TransactionSynchronizationManager.hasResource(MARK);
    }

    @Override
    public void close() {
        TransactionSynchronizationManager.unbindResource(MARK);
    }
}
