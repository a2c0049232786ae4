package io.sagaspring.schedule;

/**
 * Decides about instants that passed while no node was up.
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
