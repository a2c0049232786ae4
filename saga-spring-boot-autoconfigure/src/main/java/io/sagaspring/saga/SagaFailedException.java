package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if an execution failed because a step failed permanently. The completed steps have been compensated by then.
 * The run of a fire-and-forget step throws this exception, too, and compensates nothing.
 *
 * @since 0.1.0
 */
public final class SagaFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String step;
    private final transient StepError error;

    SagaFailedException(String step, StepError error, @Nullable Throwable cause) {
        // The stack trace is omitted, because it would show only the engine. The cause keeps its stack trace.
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
