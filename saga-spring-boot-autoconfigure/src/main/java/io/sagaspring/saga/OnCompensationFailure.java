package io.sagaspring.saga;

/**
 * Says what happens to the compensations of earlier steps when one compensation is given up.
 *
 * @since 0.1.0
 */
public enum OnCompensationFailure {
    /** They are not begun until {@link Sagas#retry} has completed the one that failed. The default. */
    STOP,
    /** They are begun nevertheless. {@link Sagas#retry} begins again those that failed. */
    CONTINUE
}
