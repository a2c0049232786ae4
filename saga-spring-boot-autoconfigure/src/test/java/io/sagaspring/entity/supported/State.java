package io.sagaspring.entity.supported;

/** The statuses of the entities in this package. */
public enum State {
    OPEN,
    CLOSING,
    CLOSED
}
