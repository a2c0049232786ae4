package io.sagaspring.fence;

/**
 * Thrown if a transaction is active where the library must commit on its own. For example, a claim must be committed before the
 * action of a step begins. The message describes how to make the call instead.
 *
 * @since 0.1.0
 */
public class ActiveTransactionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the call that was refused, and how to make it instead
     */
    public ActiveTransactionException(String message) {
        super(message);
    }
}
