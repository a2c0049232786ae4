package io.sagaspring.idempotency;

import java.time.Duration;

/**
 * The same request is being worked on. It was not begun a second time.
 *
 * @since 0.1.0
 */
public final class DuplicateRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Duration retryAfter;

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofSeconds(5);

    private DuplicateRequestException(IdempotencyKey key, Duration retryAfter) {
        super("The request with this %s is being worked on. Ask again in %s: its reply will be there then."
                .formatted(key, retryAfter));
        this.retryAfter = retryAfter;
    }

    /**
     * The refusal of a repetition. Asking again makes sense when the claim may be taken over, or soon.
     *
     * @param key what is being worked on
     * @param leaseLeft how long its owner may be silent
     * @return to be thrown
     */
    public static DuplicateRequestException of(IdempotencyKey key, Duration leaseLeft) {
        return new DuplicateRequestException(key, retryAfter(leaseLeft));
    }

    static Duration retryAfter(Duration leaseLeft) {
        Duration least = leaseLeft.compareTo(LEAST) < 0 ? LEAST : leaseLeft;
        return least.compareTo(MOST) < 0 ? least : MOST;
    }

    /**
     * When asking again makes sense.
     *
     * @return from a second to five
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
