package io.sagaspring.listener;

/**
 * Observes the deliveries of this node.
 *
 * @since 0.1.0
 */
public interface DeliveryObserver {

    /**
     * Handles an event, after its commit.
     *
     * @param listener the id of the listener
     * @param event the event
     */
    void happened(String listener, DeliveryEvent event);
}
