package io.sagaspring.test.saga;

import io.sagaspring.saga.StepError;
import io.sagaspring.saga.StepState;
import io.sagaspring.saga.StepView;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on a step of an execution.
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
     * Verifies that the step is completed.
     *
     * @return this
     */
    public SagaStepAssert completed() {
        return hasState(StepState.COMPLETED);
    }

    /**
     * Verifies that the step has failed and was not compensated.
     *
     * @return this
     */
    public SagaStepAssert failed() {
        return hasState(StepState.FAILED);
    }

    /**
     * Verifies that the step did not complete before its time-out.
     *
     * @return this
     */
    public SagaStepAssert timedOut() {
        return hasState(StepState.TIMED_OUT);
    }

    /**
     * Verifies that the step waits for a callback or a signal.
     *
     * @return this
     */
    public SagaStepAssert waiting() {
        return hasState(StepState.WAITING);
    }

    /**
     * Verifies that the step has not begun, or that its next attempt is not due yet.
     *
     * @return this
     */
    public SagaStepAssert pending() {
        return hasState(StepState.PENDING);
    }

    /**
     * Verifies that the step was compensated.
     *
     * @return this
     */
    public SagaStepAssert compensated() {
        return hasState(StepState.COMPENSATED);
    }

    /**
     * Verifies that the step was not executed or did not complete, because the execution was cancelled, failed or is
     * being compensated.
     *
     * @return this
     */
    public SagaStepAssert cancelled() {
        return hasState(StepState.CANCELLED);
    }

    /**
     * Verifies the state of the step.
     *
     * @param state the expected state
     * @return this
     */
    public SagaStepAssert hasState(StepState state) {
        if (actual.state() != state) {
            throw execution.because("Expected step '%s' to be %s, but it is %s."
                    .formatted(actual.name(), state.text(), actual.state().text()));
        }
        return this;
    }

    /**
     * Verifies the number of attempts.
     *
     * @param attempts the number of all attempts, including the first; for a compensated step, the attempts of the
     *     step and not of its compensation
     * @return this
     */
    public SagaStepAssert afterAttempts(int attempts) {
        if (actual.attempt() != attempts) {
            throw execution.because("Expected %d attempts of step '%s', but there were %d."
                    .formatted(attempts, actual.name(), actual.attempt()));
        }
        return this;
    }

    /**
     * Verifies the type of the error of the latest attempt, or of the compensation.
     *
     * @param type the error's type: the name of an exception's class, the type passed to {@code failed}, or
     *     {@code timeout}
     * @return this
     */
    public SagaStepAssert withError(String type) {
        StepError error = actual.error();
        if (error == null || !error.type().equals(type)) {
            throw execution.because("Expected the error of step '%s' to be '%s', but it is '%s'."
                    .formatted(actual.name(), type, error));
        }
        return this;
    }

    /**
     * Verifies that the step was compensated although it was unknown whether it had taken effect.
     *
     * @return this
     */
    public SagaStepAssert withEmptyRollback() {
        if (!actual.emptyRollback()) {
            throw execution.because(
                    "Expected step '%s' to be compensated although its effect is unknown, but its effect is known or it was not compensated."
                            .formatted(actual.name()));
        }
        return this;
    }

    /**
     * Returns to the assertions on the execution.
     *
     * @return the assertions
     */
    public SagaExecutionAssert and() {
        return execution;
    }
}
