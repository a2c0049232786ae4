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
 * What happens to an execution. After each verb what is due is run. What is said to it and is not heard fails the test; who wants
 * to see that it is not heard says it {@link #told by hand}.
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
     * Which one it is.
     *
     * @return by which {@link Sagas} know it
     */
    public RunId id() {
        return id;
    }

    /**
     * As people see it.
     *
     * @return what is durable now
     */
    public ExecutionView view() {
        return sagas.find(id)
                .orElseThrow(() -> new AssertionError("There is no execution %s of these sagas.".formatted(id)));
    }

    /**
     * Time passes, for all executions. What falls due meanwhile runs at its moment.
     *
     * @param time how long
     * @return this
     */
    public SagaExecution timePasses(Duration time) {
        nodes.timePasses(time);
        return this;
    }

    /**
     * Runs what is due: what the application has started, and what fell due when the clock was set.
     *
     * @return this
     */
    public SagaExecution runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * Somebody calls back: an asynchronous step is over, without a payload.
     *
     * @param step its name
     * @return this
     */
    public SagaExecution completed(String step) {
        return completed(step, null);
    }

    /**
     * Somebody calls back: an asynchronous step is over.
     *
     * @param step its name
     * @param payload what it returned
     * @return this
     */
    public SagaExecution completed(String step, @Nullable Object payload) {
        return heard(
                "Completing step '%s'".formatted(step), sagas.callback(id, step).complete(payload));
    }

    /**
     * Somebody calls back: an attempt of an asynchronous step failed.
     *
     * @param step its name
     * @param error why
     * @return this
     */
    public SagaExecution failed(String step, StepError error) {
        return heard(
                "Failing step '%s'".formatted(step), sagas.callback(id, step).fail(error));
    }

    private SagaExecution heard(String what, CallbackResult answer) {
        if (!answer.applied()) {
            throw new AssertionError("%s came too late. %s".formatted(what, answer.because()));
        }
        return runWhatIsDue();
    }

    /**
     * Somebody signals.
     *
     * @param signal the name of the wait
     * @param value what is said
     * @return this
     */
    public SagaExecution signalled(String signal, @Nullable Object value) {
        SignalResult answer = sagas.signal(id, signal, value);
        if (answer != SignalResult.ACCEPTED) {
            throw new AssertionError("Signal '%s' came too late.%n%s".formatted(signal, Words.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Somebody cancels it.
     *
     * @param reason why
     * @return this
     */
    public SagaExecution cancelled(String reason) {
        if (!sagas.cancel(id, reason)) {
            throw new AssertionError("It is over, and cannot be cancelled.%n%s".formatted(Words.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Somebody retries it, after it failed, was parked, or could not be undone.
     *
     * @return this
     */
    public SagaExecution retried() {
        if (!sagas.retry(id)) {
            throw new AssertionError("It cannot be retried.%n%s".formatted(Words.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Anything else is said to it, or twice, or too late.
     *
     * @param what says it
     * @return this
     */
    public SagaExecution told(BiConsumer<Sagas, RunId> what) {
        what.accept(sagas, id);
        return runWhatIsDue();
    }

    /**
     * The node that drives it next dies before the body of a step.
     *
     * @param step its name, or that of an undo: {@code charge_card:undo}
     * @return this
     */
    public SagaExecution crashesBefore(String step) {
        return crashes(CrashPoint.When.BEFORE_BODY, step);
    }

    /**
     * The node that drives it next dies after the body of a step, before the result is journaled.
     *
     * @param step its name, or that of an undo: {@code charge_card:undo}
     * @return this
     */
    public SagaExecution crashesAfterBodyOf(String step) {
        return crashes(CrashPoint.When.AFTER_BODY, step);
    }

    /**
     * The node that drives it next dies after the result of a step was journaled.
     *
     * @param step its name, or that of an undo: {@code charge_card:undo}
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
     * The lease of the node that died passes, and another node takes up what it has left. Fails if no node has died.
     *
     * @return this
     */
    public SagaExecution resumed() {
        if (nodes.takeLatestCrash().isEmpty()) {
            throw new AssertionError("No node has died, so that there is nothing to resume. Nodes were to die: %s.%n%s"
                    .formatted(nodes.crashesToCome(), Words.of(view())));
        }
        return timePasses(nodes.lease());
    }

    /**
     * What became of it.
     *
     * @return assertions
     */
    public SagaExecutionAssert then() {
        return new SagaExecutionAssert(this, nodes, effects);
    }

    /**
     * The scenario, for what is about other executions.
     *
     * @return where it belongs
     */
    public SagaScenario scenario() {
        return scenario;
    }
}
