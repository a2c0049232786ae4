package io.sagaspring.saga;

/**
 * Is told what happens to executions on this node.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface SagaListener {

    /**
     * Something happened. What is thrown here is logged, and changes nothing.
     *
     * @param event what
     */
    void happened(SagaEvent event);
}
