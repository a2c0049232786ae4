package io.sagaspring.lease;

/**
 * How the work on a name came to its end, for good: nobody acquires it again.
 *
 * @since 0.1.0
 */
public enum Completion {
    /** It is done. */
    PASSED,
    /** It will not be done. */
    SKIPPED
}
