package io.sagaspring.saga;

/**
 * The ways to continue after one compensation was given up.
 *
 * @since 0.1.0
 */
public enum OnCompensationFailure {
    /**
     * The compensations of earlier steps are not begun until {@link Sagas#retry} has completed the one that failed. The
     * default.
     */
    STOP,
    /** The compensations of earlier steps are begun nevertheless. {@link Sagas#retry} begins the failed ones again. */
    CONTINUE
}
