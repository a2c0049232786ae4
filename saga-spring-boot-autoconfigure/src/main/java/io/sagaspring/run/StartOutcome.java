package io.sagaspring.run;

/**
 * The effect of a call that starts a run.
 *
 * @since 0.1.0
 */
public enum StartOutcome {
    /** The call has started a run. */
    STARTED,
    /** A run with the key exists. The call has changed nothing. */
    EXISTING,
    /** A run with the key had not begun. It has the input of this call now. */
    REPLACED
}
