package io.sagaspring.idempotency.http;

/**
 * Thrown if the body of a request with an idempotency key is larger than the limit. Nothing was executed.
 *
 * @since 0.1.0
 */
public final class RequestTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int limit;

    RequestTooLargeException(int limit) {
        super(
                "The body of a request with an idempotency key may have at most %d bytes, and this one is larger. Send less, or raise saga.idempotency.http.max-request-size."
                        .formatted(limit));
        this.limit = limit;
    }

    /**
     * Returns the largest allowed size of a body.
     *
     * @return the size in bytes
     */
    public int limit() {
        return limit;
    }
}
