package io.sagaspring.claim;

import io.sagaspring.fence.FencingToken;
import java.time.Duration;
import java.time.Instant;

/**
 * A row of the ledger: what is claimed, by whom, since when.
 *
 * @param entity the name under which the ledger knows the entity's table
 * @param id the entity's id
 * @param workflow the workflow whose step claimed it
 * @param module the module whose janitor may free it
 * @param claimState the state the entity is in
 * @param revertTo where it goes back to
 * @param requester on whose behalf it was claimed
 * @param node the node that works on it
 * @param token the claim's token
 * @param claimedAt since when, by the database's clock
 * @param silentFor how long ago the node was last heard of, by the database's clock
 * @param age how long it has been claimed, by the database's clock
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
        Duration silentFor,
        Duration age) {}
