package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells what happens to an execution, and asserts what becomes of it:
 *
 * <pre>{@code
 * scenario.given(CheckoutSaga.class, order)
 *         .whenStarted()
 *         .completed("arrange_fulfillment", Map.of("tracking", "t-7"))
 *         .signalled("approval", true)
 *         .then()
 *         .isCompleted()
 *         .hasStep("charge_card").completed().afterAttempts(1).and()
 *         .effects().eachOnce();
 * }</pre>
 *
 * <p>All of it happens on the thread of the test. After each verb executions are driven until none of them is due, as nodes do
 * that have nothing else to do; the clock moves only where a test says so. When {@link SagaExecution#timePasses time passes},
 * what falls due meanwhile runs at its moment: after an hour, each retry of that hour was made.
 *
 * <p>A node dies where a test says so: nothing that it does after that is stored, and nobody drives its execution until its lease
 * is over. Another node takes it up then, with the journal and nothing else. Where that is:
 *
 * <table>
 * <caption>Where nodes die</caption>
 * <tr><th>named</th><th>the world</th><th>the journal</th><th>then</th></tr>
 * <tr><td>before a body</td><td>has seen nothing</td><td>nothing of the step</td><td>the body runs, the first time</td></tr>
 * <tr><td>after a body</td><td>has seen the effect</td><td>nothing of the step</td><td>it runs again, with the same effect key</td></tr>
 * <tr><td>after what is journaled</td><td>has seen the effect</td><td>the result</td><td>it does not run again</td></tr>
 * </table>
 *
 * <p>A step is named by its name, and its undo as the journal does: {@code charge_card:undo}. What the journal gets of a step
 * comes with the next thing that is written: of the last one, with the end of the execution, and of one before a wait, with the
 * wait. So after these the node dies when there is nothing left to take up.
 *
 * @since 0.1.0
 */
public final class SagaScenario {

    private final Nodes nodes;
    private final Sagas sagas;
    private final SagaClock clock;
    private final EffectLog effects;

    SagaScenario(Nodes nodes, Sagas sagas, SagaClock clock, EffectLog effects) {
        this.nodes = nodes;
        this.sagas = sagas;
        this.clock = clock;
        this.effects = effects;
    }

    void reset() {
        nodes.reset();
        effects.clear();
    }

    /**
     * An execution that is not started yet.
     *
     * @param saga of which saga
     * @param input what it is given
     * @return to be started
     * @param <I> what it is given
     */
    public <I> Given<I> given(Class<? extends Saga<I>> saga, I input) {
        return new Given<>(saga, input);
    }

    /**
     * An execution that the application has started.
     *
     * @param id which
     * @return to go on with, after what is due was run
     */
    public SagaExecution execution(RunId id) {
        return new SagaExecution(this, nodes, sagas, effects, id).runWhatIsDue();
    }

    /**
     * Lets time pass for all executions.
     *
     * @param time how long
     * @return this
     */
    public SagaScenario timePasses(Duration time) {
        nodes.timePasses(time);
        return this;
    }

    /**
     * Drives what is due, of all executions.
     *
     * @return this
     */
    public SagaScenario runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * The clock.
     *
     * @return to be set, and asked
     */
    public SagaClock clock() {
        return clock;
    }

    /**
     * An execution before its start.
     *
     * @param <I> what it is given
     */
    public final class Given<I> {

        private final Class<? extends Saga<I>> saga;
        private final I input;
        private final List<Crash> crashes = new ArrayList<>();

        private record Crash(CrashPoint.When when, String step) {}

        Given(Class<? extends Saga<I>> saga, I input) {
            this.saga = saga;
            this.input = input;
        }

        /**
         * Its node dies before the body of a step.
         *
         * @param step its name, or that of an undo: {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesBefore(String step) {
            return crashes(CrashPoint.When.BEFORE_BODY, step);
        }

        /**
         * Its node dies after the body of a step, before the result is journaled.
         *
         * @param step its name, or that of an undo: {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesAfterBodyOf(String step) {
            return crashes(CrashPoint.When.AFTER_BODY, step);
        }

        /**
         * Its node dies after the result of a step was journaled.
         *
         * @param step its name, or that of an undo: {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesAfter(String step) {
            return crashes(CrashPoint.When.AFTER_JOURNALED, step);
        }

        private Given<I> crashes(CrashPoint.When when, String step) {
            crashes.add(new Crash(when, step));
            return this;
        }

        /**
         * Starts it, and drives it until it waits, is over, or its node has died. If there is one with its key, that goes on.
         *
         * @return to say what happens next
         */
        public SagaExecution whenStarted() {
            SagaHandle started = sagas.start(saga, input);
            crashes.forEach(each -> nodes.crashAt(new CrashPoint(each.when(), each.step(), started.id())));
            return execution(started.id());
        }
    }
}
