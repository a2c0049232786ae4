package io.sagaspring.workflow;

import io.sagaspring.fence.LogText;

/**
 * A caller wanted a step to succeed, and it did not. In a web application it becomes a problem detail.
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
     * What became of the step.
     *
     * @return anything but a success
     */
    public TransitionOutcome outcome() {
        return outcome;
    }
}
