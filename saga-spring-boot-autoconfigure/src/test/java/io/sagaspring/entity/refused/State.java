package io.sagaspring.entity.refused;

/** The statuses of the entities here. */
public enum State {
    OPEN,
    CLOSING,
    CLOSED
}
