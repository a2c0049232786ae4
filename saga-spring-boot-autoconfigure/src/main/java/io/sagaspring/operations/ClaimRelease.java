package io.sagaspring.operations;

import io.sagaspring.operations.OperationPerformed.Outcome;

/**
 * The result of the release of a claim.
 *
 * @param result the result in one word
 * @param message the result in a sentence
 * @since 0.1.0
 */
public record ClaimRelease(Result result, String message) {

    /** The kinds of results. */
    public enum Result {
        /** The claim was removed. If the entity still exists, it is free. */
        RELEASED,
        /** The entity is not claimed. */
        NOT_CLAIMED,
        /** The entity's claim has another token. */
        OTHER_CLAIM,
        /** A transaction holds the entity or its claim. */
        BLOCKED,
        /** No workflow of this node has the entity with this claim state, or the tenant's database cannot be used. */
        UNKNOWN
    }

    /** {@return the result in the form of the other operations} */
    public OperationResult asOperation() {
        return switch (outcome()) {
            case ACCEPTED -> OperationResult.accepted(message);
            case UNKNOWN -> OperationResult.unknown(message);
            default -> OperationResult.refused(message);
        };
    }

    Outcome outcome() {
        return switch (result) {
            case RELEASED -> Outcome.ACCEPTED;
            case NOT_CLAIMED -> Outcome.UNKNOWN;
            case OTHER_CLAIM, BLOCKED, UNKNOWN -> Outcome.REFUSED;
        };
    }
}
