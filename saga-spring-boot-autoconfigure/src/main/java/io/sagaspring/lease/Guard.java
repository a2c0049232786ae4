package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import java.time.Duration;

/**
 * The result of checking whether the owner of a fencing token still holds the lease.
 *
 * @since 0.1.0
 */
public sealed interface Guard {

    /**
     * The owner of the token still holds the lease.
     *
     * @param remaining the time until the lease expires if it is not renewed
     */
    record Held(Duration remaining) implements Guard {}

    /**
     * Another caller has acquired the lease after the owner of the token.
     *
     * @param token the latest token
     */
    record AlreadyClaimed(FencingToken token) implements Guard {}

    /**
     * The work under the lease's name is complete.
     *
     * @param completion the recorded completion
     */
    record AlreadyPassed(Completion completion) implements Guard {}

    /** The lease has expired or was released. No other caller has acquired it yet. */
    record LeaseExpired() implements Guard {}

    /**
     * Returns true if the owner of the token still holds the lease.
     *
     * @return true only for {@link Held}
     */
    default boolean isHeld() {
        return this instanceof Held;
    }
}
