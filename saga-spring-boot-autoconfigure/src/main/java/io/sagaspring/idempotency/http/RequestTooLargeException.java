package io.sagaspring.idempotency.http;

/**
 * A request with an idempotency key has a larger body than may be kept in memory. Nothing was done.
 *
 * @since 0.1.0
 */
public final class RequestTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int limit;

    RequestTooLargeException(int limit) {
        super("A request with an idempotency key may have a body of %d bytes, and this one has more.".formatted(limit));
        this.limit = limit;
    }

    /**
     * How large a body may be.
     *
     * @return in bytes
     */
    public int limit() {
        return limit;
    }
}
