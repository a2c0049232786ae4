package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * The failure of an execution: a step failed for good, and the completed steps were compensated.
 *
 * @since 0.1.0
 */
public final class SagaFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String step;
    private final transient StepError error;

    SagaFailedException(String step, StepError error, @Nullable Throwable cause) {
        // Without a stack trace: it would show the engine only. The cause keeps its own.
        super("Step '%s' failed: %s".formatted(step, error), cause, true, false);
        this.step = step;
        this.error = error;
    }

    /**
     * Returns the step that failed.
     *
     * @return the step's name
     */
    public String step() {
        return step;
    }

    /**
     * Returns the error of the step's last attempt.
     *
     * @return the error
     */
    public StepError error() {
        return error;
    }
}
