package io.sagaspring.claim;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.LogText;

/**
 * A claim that was granted. Who has it may act on the entity, until it is completed, released or taken away.
 *
 * @param state the claim state the entity is in
 * @param entity the name under which the ledger knows the entity's table
 * @param id the entity's id
 * @param key the id as the database spells it, which is how the ledger knows the entity
 * @param token greater than that of every earlier claim on this entity
 * @param version the entity's version after the flip
 * @param requester on whose behalf it was claimed
 * @since 0.1.0
 */
public record Claim(
        ClaimState state, String entity, Object id, String key, FencingToken token, long version, String requester) {

    /**
     * The ledger's row.
     *
     * @return its key and token
     */
    public HeldLease held() {
        return new HeldLease(entity, key, token);
    }

    @Override
    public String toString() {
        return "%s %s in %s (token %s)".formatted(entity, LogText.of(id), state.into(), token);
    }
}
