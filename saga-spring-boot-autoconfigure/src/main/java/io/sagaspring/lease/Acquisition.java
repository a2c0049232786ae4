package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import java.time.Duration;

/**
 * What came of an attempt to acquire a name.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition {

    /**
     * It is the caller's.
     *
     * @param lease to be closed when the work is over
     */
    record Acquired(Lease lease) implements Acquisition {}

    /**
     * Somebody has it.
     *
     * @param token that one's
     * @param left for how long, if it is not renewed
     */
    record AlreadyClaimed(FencingToken token, Duration left) implements Acquisition {}

    /**
     * The work is at its end.
     *
     * @param completion how it came to it
     */
    record AlreadyPassed(Completion completion) implements Acquisition {}
}
