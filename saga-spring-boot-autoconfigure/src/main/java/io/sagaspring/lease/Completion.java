package io.sagaspring.lease;

/**
 * The final state of the work under a name. A completed name can no longer be acquired.
 *
 * @since 0.1.0
 */
public enum Completion {
    /** The work is done. */
    PASSED,
    /** The work will not be done. */
    SKIPPED
}
