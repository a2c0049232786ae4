package io.sagaspring.idempotency;

import io.sagaspring.fence.ActiveTransactionException;

/** Thrown on an attempt to commit a key together with a workflow step that has claimed its entity. */
final class InsideStepException extends ActiveTransactionException {

    private static final long serialVersionUID = 1L;

    InsideStepException(IdempotencyKey key) {
        super(
                "The %s cannot be claimed in the transaction of a step that has claimed its entity. Requests with the same key would wait for the step, and the step for them. Claim a key in two commits first, and call the step inside its work."
                        .formatted(key));
    }
}
