package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.SignalResult;
import io.sagaspring.saga.CallbackResult;
import io.sagaspring.saga.ExecutionView;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepError;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An execution in a test. After each call to the execution, such as a callback or a signal, the due runs are executed.
 * The test fails if a signal, callback or other call is not accepted. To test that a call is not accepted, use {@link
 * #called}.
 *
 * @since 0.1.0
 */
public final class SagaExecution {

    private final SagaScenario scenario;
    private final Nodes nodes;
    private final Sagas sagas;
    private final EffectLog effects;
    private final RunId id;

    SagaExecution(SagaScenario scenario, Nodes nodes, Sagas sagas, EffectLog effects, RunId id) {
        this.scenario = scenario;
        this.nodes = nodes;
        this.sagas = sagas;
        this.effects = effects;
        this.id = id;
    }

    /**
     * Returns the id of the execution.
     *
     * @return the id, in the form that {@link Sagas} accepts
     */
    public RunId id() {
        return id;
    }

    /**
     * Returns the stored state of the execution, in the form in which people see it.
     *
     * @return the view of the execution
     */
    public ExecutionView view() {
        return sagas.find(id)
                .orElseThrow(() -> new AssertionError("No saga of this test has an execution %s.".formatted(id)));
    }

    /**
     * Lets time pass for all executions. Each run is executed when it becomes due.
     *
     * @param time the duration
     * @return this
     */
    public SagaExecution timePasses(Duration time) {
        nodes.timePasses(time);
        return this;
    }

    /**
     * Executes the due runs: those that the application has started, and those that became due when the clock was set.
     *
     * @return this
     */
    public SagaExecution runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * Completes an asynchronous step by callback, without a payload.
     *
     * @param step the step's name
     * @return this
     */
    public SagaExecution completed(String step) {
        return completed(step, null);
    }

    /**
     * Completes an asynchronous step by callback.
     *
     * @param step the step's name
     * @param payload the result of the step
     * @return this
     */
    public SagaExecution completed(String step, @Nullable Object payload) {
        return applied(
                "The callback that completes step '%s'".formatted(step),
                sagas.callback(id, step).complete(payload));
    }

    /**
     * Fails an attempt of an asynchronous step by callback.
     *
     * @param step the step's name
     * @param error the error that the callback reports
     * @return this
     */
    public SagaExecution failed(String step, StepError error) {
        return applied(
                "The callback that fails step '%s'".formatted(step),
                sagas.callback(id, step).fail(error));
    }

    private SagaExecution applied(String what, CallbackResult answer) {
        if (!answer.applied()) {
            throw new AssertionError("%s was not applied. %s".formatted(what, answer.because()));
        }
        return runWhatIsDue();
    }

    /**
     * Sends a signal.
     *
     * @param signal the name of the wait that receives the signal
     * @param value the value of the signal
     * @return this
     */
    public SagaExecution signalled(String signal, @Nullable Object value) {
        SignalResult answer = sagas.signal(id, signal, value);
        if (answer != SignalResult.ACCEPTED) {
            throw new AssertionError("Signal '%s' came too late, or its wait is skipped.%n%s"
                    .formatted(signal, ExecutionText.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Cancels the execution.
     *
     * @param reason the reason
     * @return this
     */
    public SagaExecution cancelled(String reason) {
        if (!sagas.cancel(id, reason)) {
            throw new AssertionError(
                    "The execution has ended and cannot be cancelled.%n%s".formatted(ExecutionText.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Retries the execution after it failed, was parked or blocked, or could not be compensated.
     *
     * @return this
     */
    public SagaExecution retried() {
        if (!sagas.retry(id)) {
            throw new AssertionError(
                    "The execution cannot be retried in its current state.%n%s".formatted(ExecutionText.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Makes any other call, whose result is not checked, for example a repeated call or one that is too late.
     *
     * @param call the call
     * @return this
     */
    public SagaExecution called(BiConsumer<Sagas, RunId> call) {
        call.accept(sagas, id);
        return runWhatIsDue();
    }

    /**
     * Simulates a crash of the next node that executes this execution, before the code of a step is executed.
     *
     * @param step the step's name, or the name of a compensation, such as {@code charge_card:undo}
     * @return this
     */
    public SagaExecution crashesBefore(String step) {
        return crashes(CrashPoint.When.BEFORE_BODY, step);
    }

    /**
     * Simulates a crash of the next node that executes this execution, after the code of a step was executed, and
     * before the result is journaled.
     *
     * @param step the step's name, or the name of a compensation, such as {@code charge_card:undo}
     * @return this
     */
    public SagaExecution crashesAfterBodyOf(String step) {
        return crashes(CrashPoint.When.AFTER_BODY, step);
    }

    /**
     * Simulates a crash of the next node that executes this execution, after the result of a step was journaled.
     *
     * @param step the step's name, or the name of a compensation, such as {@code charge_card:undo}
     * @return this
     */
    public SagaExecution crashesAfter(String step) {
        return crashes(CrashPoint.When.AFTER_JOURNALED, step);
    }

    private SagaExecution crashes(CrashPoint.When when, String step) {
        nodes.crashAt(new CrashPoint(when, step, id));
        return this;
    }

    /**
     * Lets the dead node's lease expire, so that another node picks up the execution. Fails if no node has died.
     *
     * @return this
     */
    public SagaExecution resumed() {
        if (nodes.takeLatestCrash().isEmpty()) {
            throw new AssertionError(
                    "No node has died, so there is nothing to resume. These planned crashes have not happened: %s.%n%s"
                            .formatted(nodes.crashesToCome(), ExecutionText.of(view())));
        }
        return timePasses(nodes.lease());
    }

    /**
     * Returns assertions on the execution.
     *
     * @return the assertions
     */
    public SagaExecutionAssert then() {
        return new SagaExecutionAssert(this, nodes, effects);
    }

    /**
     * Returns the scenario, to work with other executions.
     *
     * @return the scenario
     */
    public SagaScenario scenario() {
        return scenario;
    }
}
