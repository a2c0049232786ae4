package io.sagaspring.idempotency;

/**
 * Thrown if an idempotency key is malformed. Nothing was executed.
 *
 * @since 0.1.0
 */
public final class InvalidKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param sentence the fault; it may be shown to the client
     */
    public InvalidKeyException(String sentence) {
        super(sentence);
    }
}
