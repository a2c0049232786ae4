package io.sagaspring.test.saga;

import io.sagaspring.run.RunId;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Starts executions, lets events happen to them, and asserts the results:
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
 * <p>Everything happens on the test's thread. After each call, executions are executed until none is due, as an
 * otherwise idle node would do. The clock only moves when the test moves it. When {@link SagaExecution#timePasses time
 * passes}, each run is executed at the moment at which it becomes due: after an hour, all retries of that hour were
 * made.
 *
 * <p>A node dies where the test says so. Nothing that it does afterwards is stored, and its execution is not continued
 * until its lease has expired. Then another node picks up the execution, with nothing but the journal. A node can die
 * at these points:
 *
 * <table>
 * <caption>The points at which a node can die</caption>
 * <tr><th>point</th><th>side effects</th><th>journal</th><th>afterwards</th></tr>
 * <tr><td>before the step's code</td><td>none</td><td>nothing of the step</td><td>the code is executed for the first time</td></tr>
 * <tr><td>after the step's code</td><td>done</td><td>nothing of the step</td><td>the code is executed again, with the same effect key</td></tr>
 * <tr><td>after the journal entry</td><td>done</td><td>the result</td><td>the code is not executed again</td></tr>
 * </table>
 *
 * <p>A step is given by its name, and its compensation as in the journal: {@code charge_card:undo}. A step's journal
 * entry is written together with whatever is written next: the entry of the last step with the end of the execution,
 * the entry of a step before a wait with the wait. If the node dies after such an entry, there is nothing left to pick
 * up.
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
     * Prepares an execution that is not started yet.
     *
     * @param saga the saga's class
     * @param input the input of the execution
     * @return the execution, to be started
     * @param <I> the type of the input
     */
    public <I> Given<I> given(Class<? extends Saga<I>> saga, I input) {
        return new Given<>(saga, input);
    }

    /**
     * Returns an execution that the application started, after executing the runs that are due.
     *
     * @param id the id of the execution
     * @return the execution
     */
    public SagaExecution execution(RunId id) {
        return new SagaExecution(this, nodes, sagas, effects, id).runWhatIsDue();
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
     * Executes the runs of all executions that are due.
     *
     * @return this
     */
    public SagaScenario runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * Returns the clock.
     *
     * @return the clock, which can be set and read
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
        private @Nullable String tenant;

        private record Crash(CrashPoint.When when, String step) {}

        Given(Class<? extends Saga<I>> saga, I input) {
            this.saga = saga;
            this.input = input;
        }

        /**
         * Starts the execution as a tenant. If the test has a bean of type {@code TenantContext}, it has to know the tenant.
         *
         * @param name the name of the tenant
         * @return this
         */
        public Given<I> inTenant(String name) {
            this.tenant = name;
            return this;
        }

        /**
         * Lets its node die before the code of a step.
         *
         * @param step the step's name, or that of a compensation: {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesBefore(String step) {
            return crashes(CrashPoint.When.BEFORE_BODY, step);
        }

        /**
         * Lets its node die after the code of a step, before the result is journaled.
         *
         * @param step the step's name, or that of a compensation: {@code charge_card:undo}
         * @return this
         */
        public Given<I> crashesAfterBodyOf(String step) {
            return crashes(CrashPoint.When.AFTER_BODY, step);
        }

        /**
         * Lets its node die after the result of a step was journaled.
         *
         * @param step the step's name, or that of a compensation: {@code charge_card:undo}
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
         * its key exists, that one continues.
         *
         * @return the execution
         */
        public SagaExecution whenStarted() {
            SagaHandle started =
                    tenant == null ? sagas.start(saga, input) : tenants.in(tenant, () -> sagas.start(saga, input));
            crashes.forEach(each -> nodes.crashAt(new CrashPoint(each.when(), each.step(), started.id())));
            return execution(started.id());
        }
    }
}
