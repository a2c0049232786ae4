package io.sagaspring.fence;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the connection broke at the commit, and the library could not find out from the database whether the commit
 * took place. The library did not repeat any of the application's code. The data shows the outcome once the database
 * can be reached.
 *
 * @since 0.1.0
 */
public final class OutcomeUnknownException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for an outcome that is currently unknown.
     *
     * @param operation the operation's name, with which the message begins
     * @param cause the failure of the connection, or null if an earlier request stored that the outcome is unknown
     */
    public OutcomeUnknownException(String operation, @Nullable Throwable cause) {
        super(
                ("%s: the connection broke during the commit, and the library could not find out from the database whether the commit took place."
                                + " None of the application's code was repeated. Read the data again once the database can be reached.")
                        .formatted(LogText.of(operation)),
                cause);
    }
}
