package io.sagaspring.claim;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.jdbc.TimePlace;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the ledger, which describes one claim.
 *
 * @param entity the name of the entity's table, as the ledger stores it
 * @param id the entity's id
 * @param workflow the workflow whose step claimed the entity
 * @param module the module whose janitor may free the entity
 * @param claimState the claim state that the entity is in
 * @param revertTo the status that the claim reverts to
 * @param requester the requester on whose behalf the entity was claimed, or {@code -} for an orphan
 * @param node the node of the owner, or {@code -} for an orphan
 * @param token the claim's token
 * @param claimedAt the time of the claim, by the database clock
 * @param aliveAt the time of the owner's last heartbeat, by the database clock
 * @param silentFor the time since the owner's last heartbeat, by the database clock
 * @param age the time since the claim, by the database clock
 * @param tenant the tenant for which the entity was claimed, or null if there was none
 * @since 0.1.0
 */
public record ClaimedRow(
        String entity,
        String id,
        String workflow,
        String module,
        String claimState,
        String revertTo,
        String requester,
        String node,
        FencingToken token,
        Instant claimedAt,
        Instant aliveAt,
        Duration silentFor,
        Duration age,
        @Nullable String tenant) {

    /** {@return the text with which {@link ClaimService#listBySilence(String, String, int)} continues after this claim} */
    public String place() {
        return new TimePlace(aliveAt, token.value()).text();
    }
}
