package io.sagaspring.saga;

/**
 * Listens to the events of executions on this node.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface SagaListener {

    /**
     * Receives an event. An exception thrown here is logged and has no other effect.
     *
     * @param event the event
     */
    void happened(SagaEvent event);
}
