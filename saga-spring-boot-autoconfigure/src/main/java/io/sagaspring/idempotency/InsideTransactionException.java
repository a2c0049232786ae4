package io.sagaspring.idempotency;

import io.sagaspring.fence.ActiveTransactionException;

/**
 * Thrown if a key is to be claimed in a commit of its own while a transaction is active. The claim would remain
 * committed even if that transaction rolled the work back.
 */
final class InsideTransactionException extends ActiveTransactionException {

    private static final long serialVersionUID = 1L;

    InsideTransactionException(IdempotencyKey key) {
        super(
                "The %s cannot be claimed inside an active transaction: its claim and its reply are separate commits, and would remain if that transaction rolled back. Begin the transaction inside the work, or commit claim, work and reply together: @Idempotent(sameTransaction = true) or idempotency.inTransaction()."
                        .formatted(key));
    }
}
