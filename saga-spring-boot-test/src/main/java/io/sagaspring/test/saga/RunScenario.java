package io.sagaspring.test.saga;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import io.sagaspring.schedule.Firing;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts durable runs, makes events happen to them, and asserts the results:
 *
 * <pre>{@code
 * @SagaTest(runs = Checkout.class)
 * class CheckoutTests {
 *
 *     @Autowired
 *     RunScenario scenario;
 *
 *     @Test
 *     void chargesAgainWhenTheServiceIsBusy() {
 *         scenario.given(Checkout.class, order)
 *                 .failing("charge", 2, Busy::new)
 *                 .whenStarted()
 *                 .timePasses(Duration.ofSeconds(3))
 *                 .then()
 *                 .isCompleted()
 *                 .hasStep("charge")
 *                 .wasCalled(3)
 *                 .tookEffectOnce();
 *     }
 * }
 * }</pre>
 *
 * <p>Everything happens on the test's thread, with the clock and the nodes of {@link SagaScenario}. A pause between two attempts ends only
 * when the test lets {@link TestedRun#timePasses time pass}, or while a caller waits for a run ({@link Runs#execute}). The time-out of a
 * step is measured by the machine's clock.
 *
 * @since 0.1.0
 */
public final class RunScenario {

    private final Nodes nodes;
    private final Runs runs;
    private final SagaClock clock;
    private final EffectLog effects;
    private final Tenants tenants;

    RunScenario(Nodes nodes, Runs runs, SagaClock clock, EffectLog effects, Tenants tenants) {
        this.nodes = nodes;
        this.runs = runs;
        this.clock = clock;
        this.effects = effects;
        this.tenants = tenants;
    }

    /**
     * Prepares a run that is not started yet.
     *
     * @param run the run's class
     * @param input the input of the run
     * @return the run; start it with {@code whenStarted}
     * @param <I> the type of the input
     * @param <O> the type of the result
     */
    public <I extends @Nullable Object, O extends @Nullable Object> Given given(
            Class<? extends DurableRun<I, O>> run, I input) {
        return new Given(options -> runs.start(run, input, options));
    }

    /**
     * Executes a run like a method, as {@link Runs#execute} does. Lets time pass while the run waits.
     *
     * @param run the run's class
     * @param input the input of the run
     * @return the result of the run
     * @param <I> the type of the input
     * @param <O> the type of the result
     * @throws io.sagaspring.run.RunNotCompletedException if the run failed or was cancelled
     * @throws AssertionError if the run waits for something other than the time
     */
    public <I extends @Nullable Object, O extends @Nullable Object> O execute(
            Class<? extends DurableRun<I, O>> run, I input) {
        try {
            return runs.execute(run, input);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The test was interrupted.", interrupted);
        }
    }

    /**
     * Executes the due runs, and returns a run that the application has started.
     *
     * @param id the run's id
     * @return the run
     */
    public TestedRun run(RunId id) {
        return new TestedRun(this, nodes, runs, effects, id).runWhatIsDue();
    }

    /**
     * Fires a schedule for an instant, as a node does when that instant has come. Executes the run until it waits, has
     * ended, or its node has died. If the schedule has already fired for this instant, the existing run is returned.
     *
     * @param schedule the name in the annotation {@code RunSchedule} of one of the runs
     * @param at the instant
     * @return the run
     * @throws IllegalArgumentException if no run of the test has this schedule
     */
    public TestedRun fire(String schedule, Instant at) {
        return run(nodes.fireRun(new Firing(schedule, at, false, null)));
    }

    /**
     * Lets time pass for all runs. Each run is executed when it becomes due.
     *
     * @param time the duration
     * @return this
     */
    public RunScenario timePasses(Duration time) {
        nodes.timePasses(time);
        return this;
    }

    /**
     * Executes all due runs.
     *
     * @return this
     */
    public RunScenario runWhatIsDue() {
        nodes.runWhatIsDue();
        return this;
    }

    /**
     * Fills a queue: other runs seem to hold all of its permits. A run that is started in the queue waits.
     *
     * @param queue the name of a queue that the test declares
     * @return this
     * @throws io.sagaspring.run.queue.NoSuchQueueException if no bean and no property of the test declares the queue
     */
    public RunScenario fillQueue(String queue) {
        nodes.fill(queue, true);
        return this;
    }

    /**
     * Frees a queue that was filled, and executes the runs that have waited.
     *
     * @param queue the name of a queue that the test declares
     * @return this
     */
    public RunScenario freeQueue(String queue) {
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

    /** A run before its start. */
    public final class Given {

        private final Start start;
        private final List<Consumer<TestedRun>> plans = new ArrayList<>();
        private RunOptions options = RunOptions.none();
        private @Nullable String tenant;

        @FunctionalInterface
        private interface Start {
            RunHandle<?> with(RunOptions options);
        }

        private Given(Start start) {
            this.start = start;
        }

        /**
         * Sets the options of the start, such as the key, the deadline or the queue of the run.
         *
         * @param chosen the options
         * @return this
         */
        public Given with(RunOptions chosen) {
            this.options = chosen;
            return this;
        }

        /**
         * Sets the tenant in whose context the run is started. If the test has a bean of type {@code TenantContext},
         * that bean must know the tenant.
         *
         * @param name the name of the tenant
         * @return this
         */
        public Given inTenant(String name) {
            this.tenant = name;
            return this;
        }

        /**
         * Makes the first attempts of a step fail, as {@link TestedRun#failing} does.
         *
         * @param step the name of the step, including its key if it has one
         * @param times the number of attempts
         * @param exception the supplier of the exception of each attempt
         * @return this
         */
        public Given failing(String step, int times, Supplier<? extends Exception> exception) {
            return planned(run -> run.failing(step, times, exception));
        }

        /**
         * Simulates a crash of the run's node before the code of a step is executed.
         *
         * @param step the name of the step, including its key if it has one
         * @return this
         */
        public Given crashesBefore(String step) {
            return planned(run -> run.crashesBefore(step));
        }

        /**
         * Simulates a crash of the run's node after the code of a step was executed, and before the result is
         * journaled.
         *
         * @param step the name of the step, including its key if it has one
         * @return this
         */
        public Given crashesAfterBodyOf(String step) {
            return planned(run -> run.crashesAfterBodyOf(step));
        }

        /**
         * Simulates a crash of the run's node after the result of a step was journaled.
         *
         * @param step the name of the step, including its key if it has one
         * @return this
         */
        public Given crashesAfter(String step) {
            return planned(run -> run.crashesAfter(step));
        }

        private Given planned(Consumer<TestedRun> plan) {
            plans.add(plan);
            return this;
        }

        /**
         * Starts the run, and executes it until it waits, has ended, or its node has died. If a run with its key
         * already exists, that run continues.
         *
         * @return the run
         */
        public TestedRun whenStarted() {
            RunHandle<?> started = tenant == null ? start.with(options) : tenants.in(tenant, () -> start.with(options));
            TestedRun run = new TestedRun(RunScenario.this, nodes, runs, effects, started.id());
            plans.forEach(plan -> plan.accept(run));
            return run.runWhatIsDue();
        }
    }
}
