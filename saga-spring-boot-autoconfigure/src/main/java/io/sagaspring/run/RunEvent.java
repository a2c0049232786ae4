package io.sagaspring.run;

/**
 * What becomes of runs.
 *
 * @since 0.1.0
 */
public enum RunEvent {
    /** It was started here. */
    STARTED,
    /** It was taken up here: it was due, or its node is gone. */
    PICKED_UP,
    /** It waits. */
    SUSPENDED,
    /** It came to its end. */
    COMPLETED,
    /** It ended with an exception. */
    FAILED,
    /** It was cancelled. */
    CANCELLED,
    /** Its journal does not fit the code. */
    BLOCKED,
    /** Nobody knows whether a step took effect. */
    IN_DOUBT,
    /** Who took it up died too often. */
    PARKED,
    /** What it did could not be undone. */
    COMPENSATION_FAILED,
    /** It was given back, or another node has taken it. */
    LEFT
}
