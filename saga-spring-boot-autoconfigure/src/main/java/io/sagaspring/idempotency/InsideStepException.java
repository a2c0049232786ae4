package io.sagaspring.idempotency;

import io.sagaspring.fence.ActiveTransactionException;

/** Thrown on an attempt to commit a key together with a workflow step that has claimed its entity. */
final class InsideStepException extends ActiveTransactionException {

    private static final long serialVersionUID = 1L;

    InsideStepException(IdempotencyKey key) {
        super(
                "The %s cannot be claimed in the transaction of a step that has claimed its entity. Requests with the same key would wait for the step, and the step might wait for one of them forever. Claim the key in two commits before the step, and run the step inside the work of the key."
                        .formatted(key));
    }
}
