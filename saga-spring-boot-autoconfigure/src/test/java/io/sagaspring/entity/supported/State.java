package io.sagaspring.entity.supported;

/** The statuses of the entities here. */
public enum State {
    OPEN,
    CLOSING,
    CLOSED
}
