package io.sagaspring.lease;

/**
 * The final state of the work on a name. A name with a completion is not acquired again.
 *
 * @since 0.1.0
 */
public enum Completion {
    /** The work is done. */
    PASSED,
    /** The work will not be done. */
    SKIPPED
}
