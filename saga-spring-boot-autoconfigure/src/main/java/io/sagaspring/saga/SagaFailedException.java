package io.sagaspring.saga;

import org.jspecify.annotations.Nullable;

/**
 * A step failed for good, and what was done before is undone.
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
     * Which step failed.
     *
     * @return its name
     */
    public String step() {
        return step;
    }

    /**
     * Why.
     *
     * @return what happened
     */
    public StepError error() {
        return error;
    }
}
