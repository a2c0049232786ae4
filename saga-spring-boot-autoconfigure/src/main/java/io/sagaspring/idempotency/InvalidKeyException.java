package io.sagaspring.idempotency;

/**
 * What was to be an idempotency key is none. Nothing was done.
 *
 * @since 0.1.0
 */
public final class InvalidKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * The refusal.
     *
     * @param sentence what is wrong; it may be shown to the client
     */
    public InvalidKeyException(String sentence) {
        super(sentence);
    }
}
