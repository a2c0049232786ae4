package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.StartOutcome;

/**
 * A started execution.
 *
 * @param id the execution's id
 * @param outcome the effect of the call that returned this handle
 * @since 0.1.0
 */
public record SagaHandle(RunId id, StartOutcome outcome) {

    /**
     * Returns true if the call has started the execution.
     *
     * @return false if an execution with the same key already existed
     */
    public boolean isNew() {
        return outcome == StartOutcome.STARTED;
    }
}
