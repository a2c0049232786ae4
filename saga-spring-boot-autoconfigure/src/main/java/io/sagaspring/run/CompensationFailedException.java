package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * What a run did could not be undone. It ends {@link RunState#COMPENSATION_FAILED}: a person has to see to it, and {@link
 * Runs#retry} goes on with what could not be done.
 *
 * @since 0.1.0
 */
public class CompensationFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Something could not be undone.
     *
     * @param message what, and why
     * @param cause what was thrown
     */
    public CompensationFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
