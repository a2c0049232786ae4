package io.sagaspring.idempotency;

import io.sagaspring.fence.ActiveTransactionException;

/** A key was to be committed together with the step of a workflow that has claimed its entity. */
final class InsideStepException extends ActiveTransactionException {

    private static final long serialVersionUID = 1L;

    InsideStepException(IdempotencyKey key) {
        super(
                "The %s was to be claimed in the transaction of a step that has claimed its entity: requests with the same key would wait for that step, and the step for them. Let the key stand around the step, not in it."
                        .formatted(key));
    }
}
