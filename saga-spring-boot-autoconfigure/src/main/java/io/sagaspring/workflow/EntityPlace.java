package io.sagaspring.workflow;

import io.sagaspring.claim.ClaimedRow;
import org.jspecify.annotations.Nullable;

/**
 * The place of an entity in its workflow. The claim is read after the status. If the entity changes in between, the two may
 * not fit.
 *
 * @param id the text of the entity's id
 * @param status the entity's status
 * @param version the entity's version
 * @param claim the entity's claim, or null if the entity is not claimed
 * @since 0.1.0
 */
public record EntityPlace(
        String id, String status, long version, @Nullable ClaimedRow claim) {}
