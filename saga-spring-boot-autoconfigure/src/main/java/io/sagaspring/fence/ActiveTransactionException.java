package io.sagaspring.fence;

/**
 * Thrown if a call that must not run in a transaction is made in a transaction. Such calls run a step, or claim an
 * entity or an idempotency key. For example, a claim must be committed before the action of a step begins. The message
 * says how to make the call instead.
 *
 * @since 0.1.0
 */
public class ActiveTransactionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the rejected call, and how to make it instead
     */
    public ActiveTransactionException(String message) {
        super(message);
    }
}
