package io.sagaspring.claim;

/**
 * How a claim ended.
 *
 * @since 0.1.0
 */
public enum ClaimEnd {
    /** The entity left the claim state, and the ledger's row went with it. */
    DONE,
    /** The claim had been taken away: somebody else decides, nothing was changed. */
    TAKEN,
    /** The entity's status had been moved by other code. It stays as it is; the ledger's row is gone. */
    MOVED
}
