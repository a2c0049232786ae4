package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.run.SignalResult;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A durable run in a test. After each call to the run, such as a signal, the due runs are executed. The test fails if a
 * signal or another call is not accepted. To test that a call is not accepted, use {@link #called}.
 *
 * @since 0.1.0
 */
public final class TestedRun {

    private final RunScenario scenario;
    private final Nodes nodes;
    private final Runs runs;
    private final EffectLog effects;
    private final RunId id;

    TestedRun(RunScenario scenario, Nodes nodes, Runs runs, EffectLog effects, RunId id) {
        this.scenario = scenario;
        this.nodes = nodes;
        this.runs = runs;
        this.effects = effects;
        this.id = id;
    }

    /**
     * Returns the id of the run.
     *
     * @return the id, in the form that {@link Runs} accepts
     */
    public RunId id() {
        return id;
    }

    /**
     * Returns the stored state of the run, in the form in which people see it.
     *
     * @return the view of the run
     */
    public RunView view() {
        return runs.find(id).orElseThrow(() -> new AssertionError("There is no run %s.".formatted(id)));
    }

    /**
     * Lets time pass for all runs. Each run is executed when it becomes due.
     *
     * @param time the duration
     * @return this
     */
    public TestedRun timePasses(Duration time) {
        nodes.timePasses(time);
        return this;
    }

    /**
     * Executes the due runs: those that the application has started, and those that became due when the clock was set.
     *
     * @return this
     */
    public TestedRun runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * Makes the next attempts of a step fail. The code of the step is called first, as if the step took effect and the
     * answer was lost.
     *
     * @param step the name of the step, including its key if it has one
     * @param times the number of attempts
     * @param exception the supplier of the exception of each attempt
     * @return this
     */
    public TestedRun failing(String step, int times, Supplier<? extends Exception> exception) {
        nodes.calls().fail(id, step, times, exception);
        return this;
    }

    /**
     * Sends a signal.
     *
     * @param signal the name of the signal
     * @param value the value of the signal
     * @return this
     */
    public TestedRun signalled(String signal, @Nullable Object value) {
        SignalResult answer = runs.signal(id, signal, value);
        if (answer != SignalResult.ACCEPTED) {
            throw new AssertionError(
                    "Signal '%s' came too late, because the run has ended.%n%s".formatted(signal, RunText.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Cancels the run.
     *
     * @param reason the reason
     * @return this
     */
    public TestedRun cancelled(String reason) {
        if (!runs.cancel(id, reason)) {
            throw new AssertionError("The run has ended and cannot be cancelled.%n%s".formatted(RunText.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Retries the run after it failed, or was parked or blocked.
     *
     * @return this
     */
    public TestedRun retried() {
        if (!runs.retry(id)) {
            throw new AssertionError(
                    "The run cannot be retried in its current state.%n%s".formatted(RunText.of(view())));
        }
        return runWhatIsDue();
    }

    /**
     * Makes any other call, whose result is not checked, for example a repeated call or one that is too late.
     *
     * @param call the call
     * @return this
     */
    public TestedRun called(BiConsumer<Runs, RunId> call) {
        call.accept(runs, id);
        return runWhatIsDue();
    }

    /**
     * Simulates a crash of the next node that executes this run, before the code of a step is executed.
     *
     * @param step the name of the step, including its key if it has one
     * @return this
     */
    public TestedRun crashesBefore(String step) {
        return crashes(CrashPoint.When.BEFORE_BODY, step);
    }

    /**
     * Simulates a crash of the next node that executes this run, after the code of a step was executed, and before the
     * result is journaled.
     *
     * @param step the name of the step, including its key if it has one
     * @return this
     */
    public TestedRun crashesAfterBodyOf(String step) {
        return crashes(CrashPoint.When.AFTER_BODY, step);
    }

    /**
     * Simulates a crash of the next node that executes this run, after the result of a step was journaled.
     *
     * @param step the name of the step, including its key if it has one
     * @return this
     */
    public TestedRun crashesAfter(String step) {
        return crashes(CrashPoint.When.AFTER_JOURNALED, step);
    }

    private TestedRun crashes(CrashPoint.When when, String step) {
        nodes.crashAt(new CrashPoint(when, step, id));
        return this;
    }

    /**
     * Lets the dead node's lease expire, so that another node picks up the run. Fails if no node has died.
     *
     * @return this
     */
    public TestedRun resumed() {
        if (nodes.takeLatestCrash().isEmpty()) {
            throw new AssertionError(
                    "No node has died, so there is nothing to resume. These planned crashes have not happened: %s.%n%s"
                            .formatted(nodes.crashesToCome(), RunText.of(view())));
        }
        return timePasses(nodes.lease());
    }

    /**
     * Returns assertions on the run.
     *
     * @return the assertions
     */
    public TestedRunAssert then() {
        return new TestedRunAssert(this, nodes, runs, effects);
    }

    /**
     * Returns the scenario, to work with other runs.
     *
     * @return the scenario
     */
    public RunScenario scenario() {
        return scenario;
    }
}
