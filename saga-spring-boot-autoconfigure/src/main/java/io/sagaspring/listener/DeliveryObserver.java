package io.sagaspring.listener;

import org.jspecify.annotations.Nullable;

/**
 * Observes the deliveries of this node.
 *
 * @since 0.1.0
 */
public interface DeliveryObserver {

    /**
     * Handles an event, after the change that it reports was committed.
     *
     * @param listener the id of the listener
     * @param event the event
     * @param delivery the attempt that led to the event, or null if there was none
     */
    void happened(String listener, DeliveryEvent event, @Nullable Delivery delivery);
}
