package io.sagaspring.claim;

/**
 * The ways in which a claim can end.
 *
 * @since 0.1.0
 */
public enum ClaimEnd {
    /** Success: the entity has left the claim state, and the ledger's row was removed. */
    DONE,
    /** Loss: the claim was already lost. Nothing was changed. */
    TAKEN,
    /**
     * Interference: other code has changed the entity's status, or has deleted the entity. The entity stays as it is,
     * and the ledger's row was removed.
     */
    MOVED
}
