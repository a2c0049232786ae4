package io.sagaspring.fence;

/**
 * Thrown if a step is run, or an entity or an idempotency key is claimed, inside a transaction that does not allow it. For
 * example, a claim must be committed before the action of a step begins. The message describes how to make the call instead.
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
