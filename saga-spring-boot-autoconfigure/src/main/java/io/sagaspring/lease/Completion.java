package io.sagaspring.lease;

/**
 * The final state of the work under the name of a lease. The name of completed work cannot be acquired again until the
 * store's retention has passed.
 *
 * @since 0.1.0
 */
public enum Completion {
    /** The work is done. */
    PASSED,
    /** The work will not be done. */
    SKIPPED
}
