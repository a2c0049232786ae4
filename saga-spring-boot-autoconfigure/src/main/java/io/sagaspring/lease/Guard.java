package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import java.time.Duration;

/**
 * Whether who has a token may still act.
 *
 * @since 0.1.0
 */
public sealed interface Guard {

    /**
     * It may.
     *
     * @param left for how long, if it is not renewed
     */
    record Held(Duration left) implements Guard {}

    /**
     * Somebody else has acquired it since.
     *
     * @param token the latest one
     */
    record AlreadyClaimed(FencingToken token) implements Guard {}

    /**
     * The work is at its end.
     *
     * @param completion how it came to it
     */
    record AlreadyPassed(Completion completion) implements Guard {}

    /** Its time is over, or it was given up. Nobody else has acquired it yet. */
    record LeaseExpired() implements Guard {}

    /**
     * Whether who asks may act.
     *
     * @return true for {@link Held} alone
     */
    default boolean isHeld() {
        return this instanceof Held;
    }
}
