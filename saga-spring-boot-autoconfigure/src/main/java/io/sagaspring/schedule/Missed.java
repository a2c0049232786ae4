package io.sagaspring.schedule;

/**
 * The treatment of missed instants. An instant is missed if it passed while no node was up, or if a node noticed it
 * later than {@code saga.schedules.on-time-within} allows.
 *
 * @since 0.1.0
 */
public enum Missed {
    /** The latest missed instant fires, and the others are skipped. */
    LATEST,
    /** All missed instants are skipped. */
    NONE,
    /** The missed instants fire in order, unless they are older than {@code missedWindow}. */
    ALL
}
