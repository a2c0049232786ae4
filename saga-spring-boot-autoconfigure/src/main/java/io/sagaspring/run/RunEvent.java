package io.sagaspring.run;

/**
 * A change of a run on a node.
 *
 * @since 0.1.0
 */
public enum RunEvent {
    /** This node started the run. */
    STARTED,
    /** A start has replaced the input of the run, which had not begun. */
    REPLACED,
    /** This node picked up the run, because it was due or its previous node had died. */
    PICKED_UP,
    /** The run waits. */
    SUSPENDED,
    /** An attempt of a step failed, and its retry policy allows another one. */
    RETRYING,
    /** The method of the run returned. */
    COMPLETED,
    /** The run ended with an exception, or its deadline passed. */
    FAILED,
    /** The run was cancelled, or given up. */
    CANCELLED,
    /** The run is blocked, for example because its journal does not fit the code or cannot be read. */
    BLOCKED,
    /** It is unknown whether a step took effect. */
    IN_DOUBT,
    /** The run was picked up too often without progress. */
    PARKED,
    /** A step could not be compensated. */
    COMPENSATION_FAILED,
    /** This node released the run, or another node picked it up. */
    LEFT
}
