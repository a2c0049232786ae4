package io.sagaspring.workflow;

/**
 * A listener that is notified when steps end, for metrics. Its exceptions have no effect on the step.
 *
 * @since 0.1.0
 */
public interface TransitionListener {

    /**
     * Called when a step that was run has an outcome.
     *
     * @param transition the step and its outcome
     */
    default void finished(TransitionFinished transition) {}

    /**
     * Called when a step has thrown an exception.
     *
     * @param request the step
     * @param failure the exception that the caller gets
     */
    default void failed(TransitionRequest request, Throwable failure) {}
}
