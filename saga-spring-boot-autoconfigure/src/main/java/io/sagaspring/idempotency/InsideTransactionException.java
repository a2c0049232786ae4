package io.sagaspring.idempotency;

import io.sagaspring.fence.ActiveTransactionException;

/**
 * A key was to be claimed inside a transaction: the claim would be committed, and the work that it stands for might be
 * rolled back.
 */
final class InsideTransactionException extends ActiveTransactionException {

    private static final long serialVersionUID = 1L;

    InsideTransactionException(IdempotencyKey key) {
        super(
                "The %s was to be claimed inside an active transaction. Its claim and its reply are commits of their own, and would stay if that transaction was rolled back. Either begin the transaction inside the work, or have claim, work and reply committed together: @Idempotent(sameTransaction = true), idempotency.inTransaction()."
                        .formatted(key));
    }
}
