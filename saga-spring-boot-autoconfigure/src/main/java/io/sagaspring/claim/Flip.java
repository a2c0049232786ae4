package io.sagaspring.claim;

/**
 * A change of an entity's status by a statement of the library that bypasses JPA.
 *
 * @param kind the reason for the flip
 * @param entity the name of the entity's table, as the ledger stores it
 * @param type the entity's class
 * @param id the entity's id
 * @param from the status before the flip
 * @param to the status after the flip
 * @param version the entity's version after the flip
 * @param requester the requester on whose behalf the entity is, or was, claimed
 * @since 0.1.0
 */
public record Flip(
        Kind kind, String entity, Class<?> type, Object id, String from, String to, long version, String requester) {

    /** The reason for a flip. */
    public enum Kind {
        /** The entity was claimed. */
        CLAIMED,
        /** The owner has released its claim. The entity is back in the status from which it was claimed. */
        RELEASED,
        /**
         * The owner has completed its claim through {@link ClaimService#complete}, or a step has succeeded and the
         * library itself, not JPA, writes the entity's final status.
         */
        COMPLETED,
        /** A janitor or an operator has reverted the claim. */
        REVERTED
    }
}
