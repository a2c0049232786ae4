package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A name of leases, for display.
 *
 * @param name the text of the name
 * @param tenant the tenant of the name, or null if it has none
 * @param state the state
 * @param token the latest token
 * @param node the node of the latest owner
 * @param heldSince the time of the acquisition, or null if the lease is not held
 * @param endsAt the time at which the lease expires if it is not renewed, or null if it is not held
 * @param endedAt the time at which the lease or the work ended, or null if the lease is held
 * @param completion the completion of the work, or null if the work is not complete
 * @since 0.1.0
 */
public record LeaseView(
        String name,
        @Nullable String tenant,
        LeaseState state,
        FencingToken token,
        String node,
        @Nullable Instant heldSince,
        @Nullable Instant endsAt,
        @Nullable Instant endedAt,
        @Nullable Completion completion) {}
