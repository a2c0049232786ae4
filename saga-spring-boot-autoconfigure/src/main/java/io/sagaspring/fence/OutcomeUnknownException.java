package io.sagaspring.fence;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke at the commit, and the database could not be asked whether it took place. No foreign code was
 * repeated; whether it happened shows in the data once the database can be reached.
 *
 * @since 0.1.0
 */
public final class OutcomeUnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * An outcome that nobody can tell at this moment.
     *
     * @param what what was being done, as the subject of a sentence
     * @param cause what broke, or null if that was earlier
     */
    public OutcomeUnknownException(String what, @Nullable Throwable cause) {
        super(
                ("%s: the connection broke at the commit, and the database cannot be asked whether it took place."
                                + " Nothing of the application was run again. Read the data again once the database can be reached.")
                        .formatted(LogText.of(what)),
                cause);
    }
}
