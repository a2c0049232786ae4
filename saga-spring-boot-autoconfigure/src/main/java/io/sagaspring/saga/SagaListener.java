package io.sagaspring.saga;

/** Is told what happens to executions on this node. */
@FunctionalInterface
public interface SagaListener {

    /**
     * Something happened. What is thrown here is logged, and changes nothing.
     *
     * @param event what
     */
    void happened(SagaEvent event);
}
