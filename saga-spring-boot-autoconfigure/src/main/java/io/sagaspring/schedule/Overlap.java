package io.sagaspring.schedule;

/**
 * The treatment of an instant that comes before the run of the previous firing has ended. A run that waits for a person
 * counts as ended, so that it does not stop the schedule.
 *
 * @since 0.1.0
 */
public enum Overlap {
    /** The instant is skipped. */
    SKIP,
    /** The latest instant waits until the run has ended. Earlier instants are skipped. */
    QUEUE_ONE,
    /** The run is cancelled. The latest instant waits until the run has ended. */
    CANCEL,
    /** Another run starts. */
    ALLOW
}
