package io.sagaspring.workflow;

/**
 * A listener that is notified when steps end. Use it for metrics. An exception of the listener has no effect on the
 * step.
 *
 * @since 0.1.0
 */
public interface TransitionListener {

    /**
     * Called when a step has an outcome. Not called if the call ran nothing because of its effect key.
     *
     * @param transition the step and its outcome
     */
    default void finished(TransitionFinished transition) {}

    /**
     * Called when a call of a step has thrown an exception. Not called if the request was refused before the step
     * began, for example because there is no such workflow.
     *
     * @param request the request to run the step
     * @param failure the exception that the caller gets
     */
    default void failed(TransitionRequest request, Throwable failure) {}
}
