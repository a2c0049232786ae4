package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;

/**
 * What became of the attempt to claim an entity.
 *
 * @since 0.1.0
 */
public sealed interface ClaimAttempt {

    /**
     * The caller has it.
     *
     * @param claim to complete or to release
     */
    record Granted(Claim claim) implements ClaimAttempt {}

    /**
     * The entity was not in the state, or not of the version, from which it was to be claimed.
     *
     * @param found what it is in
     */
    record Refused(EntityRow found) implements ClaimAttempt {}

    /** There is no such entity. */
    record NoSuchEntity() implements ClaimAttempt {}
}
