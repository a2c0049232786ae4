package io.sagaspring.janitor;

import io.sagaspring.claim.ClaimedRow;
import io.sagaspring.fence.LogText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An event that is published when an entity has been freed from a claim, after the commit. A janitor frees an entity if
 * the claim is stuck. A person may free it at any time.
 *
 * @param module the module
 * @param workflow the workflow whose step had claimed the entity
 * @param entity the name of the entity's table, as the ledger stores it
 * @param id the entity's id, with control characters escaped
 * @param claimState the claim state from which the entity was freed
 * @param status the entity's new status
 * @param requester the requester on whose behalf the entity had been claimed, or {@code -} for an orphan
 * @param node the node that had claimed the entity, or {@code -} for an orphan
 * @param age the time since the claim, by the database clock; for an orphan, since a janitor found it
 * @param releasedBy the person who freed the entity, or null if a janitor freed it
 * @param tenant the tenant for which the entity had been claimed, or null if there was none
 * @since 0.1.0
 */
public record ClaimRecovered(
        String module,
        String workflow,
        String entity,
        String id,
        String claimState,
        String status,
        String requester,
        String node,
        Duration age,
        @Nullable String releasedBy,
        @Nullable String tenant) {

    static ClaimRecovered of(ClaimedRow row, @Nullable String releasedBy) {
        return new ClaimRecovered(
                row.module(),
                row.workflow(),
                row.entity(),
                LogText.of(row.id()),
                row.claimState(),
                row.revertTo(),
                row.requester(),
                row.node(),
                row.age(),
                releasedBy,
                row.tenant());
    }
}
