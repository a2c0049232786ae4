package io.sagaspring.fence;

/**
 * A transaction is active where the library must commit on its own, as a claim must before the action of a step begins. The
 * message says how to call it instead.
 *
 * @since 0.1.0
 */
public class ActiveTransactionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Refuses a call.
     *
     * @param message what was called, and how to call it instead
     */
    public ActiveTransactionException(String message) {
        super(message);
    }
}
