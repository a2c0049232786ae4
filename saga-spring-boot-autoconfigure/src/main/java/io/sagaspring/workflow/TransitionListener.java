package io.sagaspring.workflow;

/**
 * Told how steps end, for metrics. What it throws changes nothing.
 *
 * @since 0.1.0
 */
public interface TransitionListener {

    /**
     * A step has come to an outcome.
     *
     * @param transition which step, and what became of it
     */
    default void finished(TransitionFinished transition) {}

    /**
     * A step has thrown.
     *
     * @param request which step
     * @param failure what its caller gets
     */
    default void failed(TransitionRequest request, Throwable failure) {}
}
