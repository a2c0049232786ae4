package io.sagaspring.saga;

/**
 * The way to continue after one compensation was given up.
 *
 * @since 0.1.0
 */
public enum OnCompensationFailure {
    /**
     * The compensations of earlier steps do not start until {@link Sagas#retry} has completed the one that failed. The
     * default.
     */
    STOP,
    /** The compensations of earlier steps start nevertheless. {@link Sagas#retry} starts the failed ones again. */
    CONTINUE
}
