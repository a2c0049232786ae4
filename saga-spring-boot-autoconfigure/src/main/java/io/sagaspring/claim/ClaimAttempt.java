package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;

/**
 * The result of an attempt to claim an entity.
 *
 * @since 0.1.0
 */
public sealed interface ClaimAttempt {

    /**
     * Success: the caller owns the claim.
     *
     * @param claim the claim, which the caller must complete or release
     */
    record Granted(Claim claim) implements ClaimAttempt {}

    /**
     * Refusal: the entity does not have the status from which the claim starts, or does not have the expected version.
     *
     * @param found the entity's status and version
     */
    record Refused(EntityRow found) implements ClaimAttempt {}

    /** Refusal: there is no such entity. */
    record NoSuchEntity() implements ClaimAttempt {}
}
