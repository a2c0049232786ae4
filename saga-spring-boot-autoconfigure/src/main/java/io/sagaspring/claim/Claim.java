package io.sagaspring.claim;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.LogText;
import org.jspecify.annotations.Nullable;

/**
 * A granted claim. Its owner may act on the entity until the claim is completed, released or lost.
 *
 * @param state the claim state that the entity is in
 * @param entity the name of the entity's table, as the ledger stores it
 * @param id the entity's id
 * @param key the entity's id as text in the database's spelling, as the ledger stores it
 * @param token the fencing token, greater than the token of every earlier claim on this entity
 * @param version the entity's version after the flip
 * @param requester the requester on whose behalf the entity was claimed
 * @param tenant the tenant for which the entity was claimed, or null if there was none
 * @since 0.1.0
 */
public record Claim(
        ClaimState state,
        String entity,
        Object id,
        String key,
        FencingToken token,
        long version,
        String requester,
        @Nullable String tenant) {

    /**
     * Returns the lease of the claim, which identifies the ledger's row.
     *
     * @return the lease, whose name, id and token are those of the ledger's row
     */
    public HeldLease held() {
        return new HeldLease(entity, key, token);
    }

    @Override
    public String toString() {
        return "%s %s in %s (token %s)".formatted(entity, LogText.of(key), state.into(), token);
    }
}
