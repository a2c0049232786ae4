package io.sagaspring.listener;

/**
 * Something that has happened to a delivery.
 *
 * @since 0.1.0
 */
public enum DeliveryEvent {
    /** The event is stored and committed. */
    PUBLISHED,
    /** The listener has returned, and the delivery is removed. */
    DELIVERED,
    /** An attempt has failed, and another one follows. */
    FAILED,
    /** No attempt is left, and the delivery waits for a person. */
    PARKED,
    /** A person has removed the delivery. */
    GIVEN_UP
}
