package io.sagaspring.idempotency;

/**
 * Thrown if a request lacks the idempotency key that its operation requires. Nothing was executed.
 *
 * @since 0.1.0
 */
public final class MissingKeyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param operation the requested operation
     */
    public MissingKeyException(String operation) {
        super(
                "'%s' needs an idempotency key. Send a new key with each new request, and the same key when you repeat a request."
                        .formatted(operation));
    }
}
