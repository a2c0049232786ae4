package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * Ends a run as {@link RunState#COMPENSATION_FAILED}, because a step could not be compensated. The run then waits for a
 * person. {@link Runs#retry} continues it at the step that could not be compensated.
 *
 * @since 0.1.0
 */
public class CompensationFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the message; name the step that could not be compensated, and the reason
     * @param cause the underlying exception, or null
     */
    public CompensationFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
