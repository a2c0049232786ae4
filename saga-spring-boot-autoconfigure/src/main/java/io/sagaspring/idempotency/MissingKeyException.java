package io.sagaspring.idempotency;

/**
 * An operation that must not be asked for without an idempotency key was. Nothing was done.
 *
 * @since 0.1.0
 */
public final class MissingKeyException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * The refusal.
     *
     * @param operation what was asked for
     */
    public MissingKeyException(String operation) {
        super("'%s' needs an idempotency key. Send one that is new for each request and the same for its repetitions."
                .formatted(operation));
    }
}
