package io.sagaspring.entity.supported;

/** What the entities here may be in. */
public enum State {
    OPEN,
    CLOSING,
    CLOSED
}
