package io.sagaspring.idempotency;

import io.sagaspring.fence.FencingToken;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A stored idempotency key, for display. It contains neither the reply nor the id that the client has chosen: with that
 * id, any reader could send a request that has the same key.
 *
 * @param id the digest that identifies the key, in hexadecimal digits
 * @param operation the name of the operation
 * @param owner the user to whom the key belongs, or {@link IdempotencyKey#NONE}
 * @param account the part of the application's data that the request changes, or {@link IdempotencyKey#NONE}
 * @param tenant the tenant of the key, or null if it has none
 * @param state the state
 * @param token the token of the latest claim
 * @param node the node of the latest claim
 * @param claimedAt the time of the latest claim
 * @param expiresAt the end of the retention
 * @param leaseEndsAt the time at which another request can take over the key, or null if the reply is stored
 * @since 0.1.0
 */
public record KeyView(
        String id,
        String operation,
        String owner,
        String account,
        @Nullable String tenant,
        KeyState state,
        FencingToken token,
        String node,
        Instant claimedAt,
        Instant expiresAt,
        @Nullable Instant leaseEndsAt) {}
