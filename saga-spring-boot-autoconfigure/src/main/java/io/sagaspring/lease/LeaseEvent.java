package io.sagaspring.lease;

/**
 * What becomes of a name, and of who asks for it.
 *
 * @since 0.1.0
 */
public enum LeaseEvent {
    /** Somebody on this node has it now. */
    ACQUIRED,
    /** Somebody else has it, and was not waited for any longer. */
    TAKEN,
    /** It was asked for, and the work is at its end. */
    PASSED,
    /** Who had it on this node was stopped: it was taken over, or may have been. */
    LOST,
    /** It was given up. */
    RELEASED,
    /** The work on it has come to its end. */
    COMPLETED
}
