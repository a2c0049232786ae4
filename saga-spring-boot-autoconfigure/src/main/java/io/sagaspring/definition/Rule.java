package io.sagaspring.definition;

/**
 * Every rule that can be judged from the text of the configuration alone.
 *
 * @since 0.1.0
 */
public enum Rule {
    /** A list, a map or a single value stands where another shape is wanted. */
    SHAPE("shape"),
    /** A bare value stands where a map by requester is wanted. */
    BY_REQUESTER("by-requester"),
    /** A key is not known. */
    UNKNOWN_KEY("unknown-key"),
    /** A required key is missing. */
    MISSING_KEY("missing-key"),
    /** A key is given twice, in two spellings. */
    KEY_TWICE("key-twice"),
    /** A key is there, but says nothing. */
    EMPTY("empty"),
    /** A bare {@code true} or {@code false} stands where a name is wanted. */
    BOOLEAN("boolean"),
    /** A workflow's name is not one. */
    WORKFLOW_NAME("workflow-name"),
    /** A step's id is no whole number. */
    STEP_ID("step-id"),
    /** A list names the same thing twice. */
    DUPLICATE("duplicate"),
    /** A requester's name is not one. */
    REQUESTER_NAME("requester-name"),
    /** Two requesters differ in their dashes only. */
    REQUESTER_DASHES("requester-dashes"),
    /** Nobody lists the requesters, and the steps do not tell them either. */
    UNLISTED_REQUESTERS("unlisted-requesters"),
    /** An entry is for a requester that is not listed. */
    UNKNOWN_REQUESTER("unknown-requester"),
    /** A state is not listed. */
    UNKNOWN_STATUS("unknown-status"),
    /** A claim is not an array of exactly two states. */
    CLAIM_PAIR("claim-pair"),
    /** A claim reverts to itself. */
    CLAIM_REVERTS_TO_ITSELF("claim-reverts-to-itself"),
    /** A claim state is the state from which its step runs. */
    CLAIM_IS_STATUS("claim-is-status"),
    /** A claim state is where its step leads. */
    CLAIM_IS_SUCCESS("claim-is-success"),
    /** A claim reverts to another state than the one its step runs from. */
    REVERT_TO_STATUS("revert-to-status"),
    /** One claim state reverts to two states. */
    ONE_REVERT_TO("one-revert-to"),
    /** One claim state is used by two modules. */
    ONE_MODULE("one-module"),
    /** A claim state of one step is a resting state of another. */
    CLAIM_IS_RESTING("claim-is-resting"),
    /** Two steps have the same id. */
    STEP_ID_TWICE("step-id-twice"),
    /** Two steps answer to the same call. */
    STEP_TWICE("step-twice"),
    /** A requester may act, but the success leads nowhere. */
    ACTION_WITHOUT_SUCCESS("action-without-success"),
    /** A requester's success leads somewhere, but there is no action. */
    SUCCESS_WITHOUT_ACTION("success-without-action"),
    /** An entry is for a requester that cannot run the step. */
    CANNOT_RUN("cannot-run");

    private final String shortName;

    Rule(String shortName) {
        this.shortName = shortName;
    }

    /**
     * The name by which messages and documents refer to the rule.
     *
     * @return a few words that stay the same
     */
    public String shortName() {
        return shortName;
    }
}
