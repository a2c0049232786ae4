package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import java.time.Duration;

/**
 * The result of an attempt to acquire a lease.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition {

    /**
     * The caller holds the lease.
     *
     * @param lease the lease; close it when the work has ended
     */
    record Acquired(Lease lease) implements Acquisition {}

    /**
     * Another caller, on this or another node, holds the lease.
     *
     * @param token the token of the current owner
     * @param remaining the time until the lease expires if it is not renewed
     */
    record AlreadyClaimed(FencingToken token, Duration remaining) implements Acquisition {}

    /**
     * The work under the lease's name is complete, so the lease cannot be acquired.
     *
     * @param completion the recorded completion
     */
    record AlreadyPassed(Completion completion) implements Acquisition {}
}
