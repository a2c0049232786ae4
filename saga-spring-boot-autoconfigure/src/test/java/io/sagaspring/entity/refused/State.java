package io.sagaspring.entity.refused;

/** The statuses of the entities in this package. */
public enum State {
    OPEN,
    CLOSING,
    CLOSED
}
