package io.sagaspring.listener;

/**
 * The state of a delivery.
 *
 * @since 0.1.0
 */
public enum DeliveryState {
    /** The delivery waits for a node, or for an earlier delivery of its key. */
    WAITING,
    /** A node is calling the listener. */
    DELIVERING,
    /** An attempt has failed, and the next one follows after a pause. */
    RETRYING,
    /** No attempt is left. The delivery waits until a person retries it or gives it up. */
    PARKED
}
