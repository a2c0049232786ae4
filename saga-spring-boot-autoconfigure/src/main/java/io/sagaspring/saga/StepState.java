package io.sagaspring.saga;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/**
 * Where a step stands.
 *
 * @since 0.1.0
 */
public enum StepState {
    /** It is not its turn yet, or its next attempt is due later. */
    PENDING,
    /** Its body runs. */
    RUNNING,
    /** It waits for a callback or a signal. */
    WAITING,
    /** It is over. */
    COMPLETED,
    /** It failed. */
    FAILED,
    /** It was not over in time. */
    TIMED_OUT,
    /** It is being undone, or could not be. */
    COMPENSATING,
    /** It is undone. */
    COMPENSATED,
    /** It does not run, or was not over: the execution was cancelled, failed or is compensated before. */
    CANCELLED;

    /**
     * The name in answers.
     *
     * @return in lower case
     */
    @JsonValue
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
