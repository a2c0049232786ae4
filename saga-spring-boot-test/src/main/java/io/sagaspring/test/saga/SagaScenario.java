package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schedule.Firing;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts executions, makes events happen to them, and asserts the results:
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
 * <p>Everything happens on the test's thread. After each call, executions are executed until none is due, as on a node that is otherwise
 * idle. In memory, the clock moves only when the test moves it, and while a caller waits for a run or saga. When {@link
 * SagaExecution#timePasses time passes}, each run is executed when it becomes due. So if an hour passes, all retries that are due within
 * that hour take place.
 *
 * <p>A node dies at the point that the test chooses. Nothing that the node does afterwards is stored. After the lease
 * of its execution has expired, another node picks up the execution, using only the journal. A node can die at these
 * points:
 *
 * <table>
 * <caption>The points at which a node can die</caption>
 * <tr><th>point</th><th>side effects</th><th>journal</th><th>afterwards</th></tr>
 * <tr><td>before the step's code</td><td>none</td><td>nothing of the step</td><td>the code is executed for the first time</td></tr>
 * <tr><td>after the step's code</td><td>done</td><td>nothing of the step</td><td>the code is executed again, with the same effect key</td></tr>
 * <tr><td>after the journal entry</td><td>done</td><td>the result</td><td>the code is not executed again</td></tr>
 * </table>
 *
 * <p>A step is identified by its name, and its compensation by its name in the journal, such as {@code
 * charge_card:undo}. The last step's journal entry is stored together with the end of the execution. The entry of a
 * step before a wait is stored together with the wait. If the node dies after such an entry, the execution has already
 * ended or is waiting, so no other node needs to pick it up immediately.
 *
 * @since 0.1.0
 */
public final class SagaScenario {

    private final Nodes nodes;
    private final Sagas sagas;
    private final SagaClock clock;
    private final EffectLog effects;
    private final Tenants tenants;

    SagaScenario(Nodes nodes, Sagas sagas, SagaClock clock, EffectLog effects, Tenants tenants) {
        this.nodes = nodes;
        this.sagas = sagas;
        this.clock = clock;
        this.effects = effects;
        this.tenants = tenants;
    }

    void reset() {
        nodes.reset();
        effects.clear();
    }

    /**
     * Prepares an execution without starting it.
     *
     * @param saga the saga's class
     * @param input the input of the execution
     * @return the execution; start it with {@code whenStarted}
     * @param <I> the type of the input
     */
    public <I> Given<I> given(Class<? extends Saga<I>> saga, I input) {
        return new Given<>(saga, input);
    }

    /**
     * Executes the due runs, and returns an execution that the application has started.
     *
     * @param id the id of the execution
     * @return the execution
     */
    public SagaExecution execution(RunId id) {
        return new SagaExecution(this, nodes, sagas, effects, id).runWhatIsDue();
    }

    /**
     * Fires a schedule for an instant, as a node does when that instant has come. Executes the execution until it
     * waits, has ended, or its node has died. If the schedule has already fired for this instant, the existing
     * execution is returned.
     *
     * @param schedule the name in the annotation {@code RunSchedule} of one of the sagas
     * @param at the instant
     * @return the execution
     * @throws IllegalArgumentException if no saga of the test has this schedule
     */
    public SagaExecution fire(String schedule, Instant at) {
        return execution(nodes.fireSaga(new Firing(schedule, at, false, null)));
    }

    /**
     * Lets time pass for all executions.
     *
     * @param time the duration
     * @return this
     */
    public SagaScenario timePasses(Duration time) {
        nodes.timePasses(time);
        return this;
    }

    /**
     * Executes all due runs.
     *
     * @return this
     */
    public SagaScenario runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * Fills a queue: other runs seem to hold all of its permits. An execution that is started in the queue waits.
     *
     * @param queue the name of a queue that the test declares
     * @return this
     * @throws io.sagaspring.run.queue.NoSuchQueueException if no bean and no property of the test declares the queue
     */
    public SagaScenario fillQueue(String queue) {
        nodes.fill(queue, true);
        return this;
    }

    /**
     * Frees a queue that was filled, and continues the executions that have waited.
     *
     * @param queue the name of a queue that the test declares
     * @return this
     */
    public SagaScenario freeQueue(String queue) {
        nodes.fill(queue, false);
        return runWhatIsDue();
    }

    /**
     * Returns the clock.
     *
     * @return the clock, which the test can set and read
     */
    public SagaClock clock() {
        return clock;
    }

    /**
     * An execution before its start.
     *
     * @param <I> the type of the input
     */
    public final class Given<I> {

        private final Class<? extends Saga<I>> saga;
        private final I input;
        private final List<Crash> crashes = new ArrayList<>();
        private RunOptions options = RunOptions.none();
        private @Nullable String tenant;

        private record Crash(CrashPoint.When when, String step) {}

        Given(Class<? extends Saga<I>> saga, I input) {
            this.saga = saga;
            this.input = input;
        }

        /**
         * Sets the options of the start, such as the key, the deadline or the queue of the execution.
         *
         * @param chosen the options
         * @return this
         */
        public Given<I> with(RunOptions chosen) {
            this.options = chosen;
            return this;
        }

        /**
         * Sets the tenant in whose context the execution is started. If the test has a bean of type {@code
         * TenantContext}, that bean must know the tenant.
         *
         * @param name the name of the tenant
         * @return this
         */
        public Given<I> inTenant(String name) {
            this.tenant = name;
            return this;
        }

        /**
         * Simulates a crash of the execution's node before the code of a step is executed.
         *
         * @param step the step's name, or the name of a compensation, such as {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesBefore(String step) {
            return crashes(CrashPoint.When.BEFORE_BODY, step);
        }

        /**
         * Simulates a crash of the execution's node after the code of a step was executed, and before the result is
         * journaled.
         *
         * @param step the step's name, or the name of a compensation, such as {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesAfterBodyOf(String step) {
            return crashes(CrashPoint.When.AFTER_BODY, step);
        }

        /**
         * Simulates a crash of the execution's node after the result of a step was journaled.
         *
         * @param step the step's name, or the name of a compensation, such as {@code charge_card:undo}
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
         * Starts the execution, and executes it until it waits, has ended, or its node has died. If an execution with
         * its key already exists, that execution continues.
         *
         * @return the execution
         */
        public SagaExecution whenStarted() {
            SagaHandle started = tenant == null
                    ? sagas.start(saga, input, options)
                    : tenants.in(tenant, () -> sagas.start(saga, input, options));
            crashes.forEach(each -> nodes.crashAt(new CrashPoint(each.when(), each.step(), started.id())));
            return execution(started.id());
        }
    }
}
