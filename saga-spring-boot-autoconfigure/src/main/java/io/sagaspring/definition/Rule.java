package io.sagaspring.definition;

/**
 * The rules for configured workflows. Most of them can be checked from the configuration alone, without the
 * application. Each constant describes how a configuration breaks the rule.
 *
 * @since 0.1.0
 */
public enum Rule {
    /** A value has the wrong shape: a list, a map or a single value where another shape is expected. */
    SHAPE("shape"),
    /** A single value or a list was given where a map by requester is expected. */
    BY_REQUESTER("by-requester"),
    /** A key is not known. */
    UNKNOWN_KEY("unknown-key"),
    /** A required key is missing. */
    MISSING_KEY("missing-key"),
    /** A key is given twice: in two spellings, or by its name and its synonym. */
    KEY_TWICE("key-twice"),
    /** A key has no value. */
    EMPTY("empty"),
    /** A bare {@code true} or {@code false} was given where a name is expected. */
    BOOLEAN("boolean"),
    /** A workflow's name has characters that are not allowed. */
    WORKFLOW_NAME("workflow-name"),
    /** A step's id is not a whole number, or is too large. */
    STEP_ID("step-id"),
    /** A list names the same thing twice. */
    DUPLICATE("duplicate"),
    /** A requester's name has characters that are not allowed, or is {@code any}. */
    REQUESTER_NAME("requester-name"),
    /** Two requesters differ only in dashes, underscores or case. */
    REQUESTER_DASHES("requester-dashes"),
    /** The workflow does not list its requesters, and they cannot be derived safely from the names in its steps. */
    UNLISTED_REQUESTERS("unlisted-requesters"),
    /** An entry is for a requester that the workflow does not list. */
    UNKNOWN_REQUESTER("unknown-requester"),
    /**
     * A step names an unknown state. The known states are those in {@code status-types}, or by default the constants of
     * the status's type.
     */
    UNKNOWN_STATUS("unknown-status"),
    /** A claim is not a list of exactly two states. */
    CLAIM_PAIR("claim-pair"),
    /** A claim reverts the entity to the claim state itself. */
    CLAIM_REVERTS_TO_ITSELF("claim-reverts-to-itself"),
    /** A claim state is the state from which its step runs. */
    CLAIM_IS_STATUS("claim-is-status"),
    /** A claim state is the state to which its step leads. */
    CLAIM_IS_SUCCESS("claim-is-success"),
    /** A claim does not revert to the state from which its step runs. */
    REVERT_TO_STATUS("revert-to-status"),
    /** One claim state reverts to two states. */
    ONE_REVERT_TO("one-revert-to"),
    /** One claim state is used by two modules. */
    ONE_MODULE("one-module"),
    /** A claim state of one step is the {@code status} or a {@code successful-state} of another step. */
    CLAIM_IS_RESTING("claim-is-resting"),
    /** Two steps have the same id. */
    STEP_ID_TWICE("step-id-twice"),
    /** Two steps have the same key and status for the same requester. */
    STEP_TWICE("step-twice"),
    /** A requester has an action, but no successful state. */
    ACTION_WITHOUT_SUCCESS("action-without-success"),
    /** A requester has a successful state, but no action. */
    SUCCESS_WITHOUT_ACTION("success-without-action"),
    /** An entry is for a requester that cannot run the step. */
    CANNOT_RUN("cannot-run");

    private final String shortName;

    Rule(String shortName) {
        this.shortName = shortName;
    }

    /**
     * Returns the name by which messages and documents refer to the rule.
     *
     * @return the short, stable name
     */
    public String shortName() {
        return shortName;
    }
}
