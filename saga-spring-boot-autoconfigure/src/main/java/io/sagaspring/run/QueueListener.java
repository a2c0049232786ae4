package io.sagaspring.run;

/**
 * Observes the runs of queues that begin on this node. To use it, declare a bean of this type.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface QueueListener {

    /**
     * Called after runs have begun, before their code is executed. An exception is logged and has no other effect.
     *
     * @param queue the name of the queue
     * @param runs the number of runs that have begun
     */
    void begun(String queue, int runs);
}
