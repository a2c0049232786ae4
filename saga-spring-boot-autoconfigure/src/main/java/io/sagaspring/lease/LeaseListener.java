package io.sagaspring.lease;

/**
 * A listener for the events of leases. The listener is called on the thread on which the event occurs, in the tenant of
 * the lease.
 *
 * <p>{@link LeaseEvent#LOST} usually occurs on a thread of the heartbeat keeper, so a listener must not block. If a
 * listener throws an exception, it is logged and has no other effect.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LeaseListener {

    /**
     * Handles an event.
     *
     * @param name the name of the lease
     * @param event the event
     */
    void happened(LeaseName name, LeaseEvent event);
}
