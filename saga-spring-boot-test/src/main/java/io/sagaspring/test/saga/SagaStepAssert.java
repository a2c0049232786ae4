package io.sagaspring.test.saga;

import io.sagaspring.saga.StepError;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import org.assertj.core.api.AbstractAssert;

/**
 * What became of a step.
 *
 * @since 0.1.0
 */
public final class SagaStepAssert extends AbstractAssert<SagaStepAssert, StepView> {

    private final SagaExecutionAssert execution;

    SagaStepAssert(SagaExecutionAssert execution, StepView step) {
        super(step, SagaStepAssert.class);
        this.execution = execution;
    }

    /**
     * It is over.
     *
     * @return this
     */
    public SagaStepAssert completed() {
        return hasState(StepState.COMPLETED);
    }

    /**
     * It failed, and there was nothing to undo.
     *
     * @return this
     */
    public SagaStepAssert failed() {
        return hasState(StepState.FAILED);
    }

    /**
     * It was not over in time.
     *
     * @return this
     */
    public SagaStepAssert timedOut() {
        return hasState(StepState.TIMED_OUT);
    }

    /**
     * It waits for a callback or a signal.
     *
     * @return this
     */
    public SagaStepAssert waiting() {
        return hasState(StepState.WAITING);
    }

    /**
     * It is not its turn, or its next attempt is due later.
     *
     * @return this
     */
    public SagaStepAssert pending() {
        return hasState(StepState.PENDING);
    }

    /**
     * It was undone.
     *
     * @return this
     */
    public SagaStepAssert compensated() {
        return hasState(StepState.COMPENSATED);
    }

    /**
     * The execution was cancelled before it was over.
     *
     * @return this
     */
    public SagaStepAssert cancelled() {
        return hasState(StepState.CANCELLED);
    }

    /**
     * It stands there.
     *
     * @param state where
     * @return this
     */
    public SagaStepAssert hasState(StepState state) {
        if (actual.state() != state) {
            throw execution.because("Expected step '%s' to be %s, and it is %s."
                    .formatted(actual.name(), state.text(), actual.state().text()));
        }
        return this;
    }

    /**
     * So many attempts were made.
     *
     * @param attempts all, the first one included; of an undo where it is undone, those of the step
     * @return this
     */
    public SagaStepAssert afterAttempts(int attempts) {
        if (actual.attempt() != attempts) {
            throw execution.because("Expected %d attempts of step '%s', and there were %d."
                    .formatted(attempts, actual.name(), actual.attempt()));
        }
        return this;
    }

    /**
     * Its latest attempt failed for a reason, or could not be undone.
     *
     * @param type that of the error: the name of an exception's class, what {@code failed} said, or {@code timeout}
     * @return this
     */
    public SagaStepAssert withError(String type) {
        StepError error = actual.error();
        if (error == null || !error.type().equals(type)) {
            throw execution.because("Expected the error of step '%s' to be '%s', and it is '%s'."
                    .formatted(actual.name(), type, error));
        }
        return this;
    }

    /**
     * It was undone although nobody knew whether it had taken effect.
     *
     * @return this
     */
    public SagaStepAssert withEmptyRollback() {
        if (!actual.emptyRollback()) {
            throw execution.because("Expected step '%s' to be undone without being known to have taken effect."
                    .formatted(actual.name()));
        }
        return this;
    }

    /**
     * The execution again.
     *
     * @return its assertions
     */
    public SagaExecutionAssert and() {
        return execution;
    }
}
