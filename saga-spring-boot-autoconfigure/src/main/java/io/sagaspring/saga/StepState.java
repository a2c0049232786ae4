package io.sagaspring.saga;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * The state of a step.
 *
 * @since 0.1.0
 */
public enum StepState {
    /** It is not yet the step's turn, or its next attempt is not due yet. */
    PENDING,
    /** The step's code is being executed. */
    RUNNING,
    /** The step waits for a callback or a signal. */
    WAITING,
    /** The step has completed. */
    COMPLETED,
    /** The step has failed. */
    FAILED,
    /** The step did not complete in time. */
    TIMED_OUT,
    /** The step is being compensated, or its compensation failed. */
    COMPENSATING,
    /** The step was compensated. */
    COMPENSATED,
    /**
     * The step is not executed or did not complete, because the execution was cancelled, failed or is being
     * compensated.
     */
    CANCELLED;

    /**
     * Returns the name in JSON.
     *
     * @return the name in lower case
     */
    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
