package io.sagaspring.saga;

/**
 * The way to continue after one compensation was given up.
 *
 * @since 0.1.0
 */
public enum OnCompensationFailure {
    /**
     * The compensations of earlier steps do not start. After {@link Sagas#retry}, they start when the failed
     * compensation has completed. This is the default.
     */
    STOP,
    /** The compensations of earlier steps start nevertheless. {@link Sagas#retry} starts the failed ones again. */
    CONTINUE
}
