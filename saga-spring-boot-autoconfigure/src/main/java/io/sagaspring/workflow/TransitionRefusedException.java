package io.sagaspring.workflow;

import io.sagaspring.fence.LogText;

/**
 * Thrown by {@link TransitionOutcome#orElseThrow()} when a step has not succeeded. In a web application, the exception
 * becomes a problem detail.
 *
 * @since 0.1.0
 */
public final class TransitionRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient TransitionOutcome outcome;

    TransitionRefusedException(TransitionOutcome outcome) {
        super("%s: %s".formatted(outcome.name(), LogText.of(outcome.sentence())));
        this.outcome = outcome;
    }

    /**
     * Returns the outcome of the step.
     *
     * @return any outcome except {@link TransitionOutcome.Completed}
     */
    public TransitionOutcome outcome() {
        return outcome;
    }
}
