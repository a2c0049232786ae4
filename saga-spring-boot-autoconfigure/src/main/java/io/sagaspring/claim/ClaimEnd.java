package io.sagaspring.claim;

/**
 * The ways in which a claim can end.
 *
 * @since 0.1.0
 */
public enum ClaimEnd {
    /** Success: the entity has left the claim state, and the ledger's row was removed. */
    DONE,
    /** Loss: the claim had already been lost. Nothing was changed. */
    TAKEN,
    /**
     * Interference: other code had changed the entity's status. The status stays as it is; the ledger's row was
     * removed.
     */
    MOVED
}
