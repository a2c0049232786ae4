package io.sagaspring.idempotency;

/** What was to be an idempotency key is none. Nothing was done. */
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
