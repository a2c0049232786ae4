package io.sagaspring.idempotency;

import io.sagaspring.fence.DurationText;
import java.time.Duration;

/**
 * Thrown if a request with the same key is in progress. The work was not started a second time.
 *
 * @since 0.1.0
 */
public final class DuplicateRequestException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Duration retryAfter;

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofSeconds(5);

    private DuplicateRequestException(IdempotencyKey key, Duration retryAfter) {
        super("A request with the %s is in progress. Repeat it in %s: the reply may be stored by then."
                .formatted(key, DurationText.of(retryAfter)));
        this.retryAfter = retryAfter;
    }

    /**
     * Creates the exception for a repeated request. The time until the next attempt is the remaining time of the
     * owner's lease, but at least one second and at most five.
     *
     * @param key the key in use
     * @param leaseLeft the remaining time of its owner's lease
     * @return the exception to throw
     */
    public static DuplicateRequestException of(IdempotencyKey key, Duration leaseLeft) {
        return new DuplicateRequestException(key, retryAfter(leaseLeft));
    }

    static Duration retryAfter(Duration leaseLeft) {
        Duration least = leaseLeft.compareTo(LEAST) < 0 ? LEAST : leaseLeft;
        return least.compareTo(MOST) < 0 ? least : MOST;
    }

    /**
     * Returns the time to wait before the next attempt.
     *
     * @return the time, from one to five seconds
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
