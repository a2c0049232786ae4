package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs, and signals, cancels, retries and queries them:
 *
 * <pre>{@code
 * RunHandle<AccountId> run = runs.start(OpenAccount.class, customer, RunOptions.withKey("open:" + customer.id()));
 * }</pre>
 *
 * <p>A run belongs to the tenant in which it is started, and is executed in that tenant. A caller of another tenant gets the same
 * answers as for a run that does not exist. A caller outside any tenant sees all runs.
 *
 * @since 0.1.0
 */
public final class Runs {

    private static final String A_CALLER = "a caller";

    private final VisibleRuns visible;
    private final RunCatalog catalog;
    private final Payloads payloads;
    private final RunStarter starter;
    private final RunExecutor runExecutor;
    private final RunEnds ends;
    private final DirectExecution direct;
    private final RunMessages messages;
    private final RunDecisions decisions;

    /**
     * The parts of this node that {@link Runs} uses.
     *
     * @param wake the action that makes the node look for due runs
     * @param closing the check that returns true if the node is shutting down
     */
    record Node(Runnable wake, BooleanSupplier closing) {}

    Runs(
            VisibleRuns visible,
            RunCatalog catalog,
            Payloads payloads,
            RunStarter starter,
            RunExecutor runExecutor,
            RunNotifier notifier,
            Node node) {
        this.visible = visible;
        this.catalog = catalog;
        this.payloads = payloads;
        this.starter = starter;
        this.runExecutor = runExecutor;
        this.ends = new RunEnds(visible, payloads, runExecutor, notifier);
        this.direct = new DirectExecution(ends, starter, runExecutor, notifier, node.closing());
        this.messages = new RunMessages(visible, payloads, node.wake());
        this.decisions = new RunDecisions(visible, catalog, notifier, node.wake());
    }

    /**
     * Starts a run. If you call it inside a transaction, the run starts only if that transaction commits.
     *
     * @param run the class of the run
     * @param input the input of the run
     * @return a handle on the run
     * @param <I> the type of the input
     * @param <O> the type of the result
     */
    public <I extends @Nullable Object, O extends @Nullable Object> RunHandle<O> start(
            Class<? extends DurableRun<I, O>> run, I input) {
        return start(run, input, RunOptions.NONE);
    }

    /**
     * Starts a run. If you call it inside a transaction, the run starts only if that transaction commits.
     *
     * @param run the class of the run
     * @param input the input of the run
     * @param options the options of the run, such as its key and its deadline
     * @return a handle on the new run, or on the existing run with the same key, in whatever state
     * @param <I> the type of the input
     * @param <O> the type of the result
     * @throws RefusedValueException if the input is too large, or has a part that cannot be stored
     * @throws PayloadException if the type of the input cannot be stored or read back
     */
    public <I extends @Nullable Object, O extends @Nullable Object> RunHandle<O> start(
            Class<? extends DurableRun<I, O>> run, I input, RunOptions options) {
        RunCatalog.Code code = catalog.of(run);
        return handle(starter.start(code, input, options), code.output());
    }

    <O extends @Nullable Object> RunHandle<O> handle(RunStarter.StartResult started, Type result) {
        return new RunHandle<>(ends, started.id(), result, started.outcome());
    }

    /**
     * Executes a run like a method, and returns its result. If a slot is free, the calling thread executes the code.
     *
     * @param run the class of the run
     * @param input the input of the run
     * @return the stored result
     * @param <I> the type of the input
     * @param <O> the type of the result
     * @throws RunNotCompletedException if the run failed or was cancelled, or if this node shuts down and it continues
     * @throws InterruptedException if the calling thread is interrupted; the run continues
     */
    public <I extends @Nullable Object, O extends @Nullable Object> O execute(
            Class<? extends DurableRun<I, O>> run, I input) throws InterruptedException {
        return execute(run, input, RunOptions.NONE, DirectExecution.LONGEST);
    }

    /**
     * Executes a run like a method, and limits the wait. The time-out does not interrupt code that the calling thread executes.
     *
     * @param run the class of the run
     * @param input the input of the run
     * @param options the key and other options; if a run with the key exists, this method waits for that run
     * @param timeout the longest time to wait, from the call on
     * @return the stored result
     * @param <I> the type of the input
     * @param <O> the type of the result
     * @throws RunNotCompletedException if the run failed or was cancelled, this node shuts down, or the time-out has passed; in the last
     *     two cases, the run continues
     * @throws InterruptedException if the calling thread is interrupted; the run continues
     * @throws IllegalStateException if the calling thread executes a run
     * @throws org.springframework.transaction.IllegalTransactionStateException if the thread is in a transaction
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // The result was read as this type, or is null.
    public <I extends @Nullable Object, O extends @Nullable Object> O execute(
            Class<? extends DurableRun<I, O>> run, I input, RunOptions options, Duration timeout)
            throws InterruptedException {
        return (O) direct.execute(catalog.of(run), input, options, timeout);
    }

    /**
     * Returns a handle on a run that has already been started.
     *
     * @param id the run's id
     * @param run the class of the run
     * @return a handle with which you can wait for the result
     * @param <O> the type of the result
     */
    public <O extends @Nullable Object> RunHandle<O> handle(RunId id, Class<? extends DurableRun<?, O>> run) {
        return new RunHandle<>(ends, id, catalog.of(run).output(), StartOutcome.EXISTING);
    }

    /**
     * Signals a run. Each call sends another signal.
     *
     * @param id the run's id
     * @param signal the name of the signal
     * @param value the value of the signal
     * @return the result of the call, which is {@link SignalResult#TOO_LATE} if the run has ended
     * @throws NoSuchRunException if there is no such run
     */
    public SignalResult signal(RunId id, String signal, @Nullable Object value) {
        return signal(id, signal, UUID.randomUUID().toString(), value);
    }

    /**
     * Signals a run. An accepted signal is stored, and the run receives it once, even if it did not wait for it yet.
     *
     * @param id the run's id
     * @param signal the name of the signal
     * @param key the key of the signal: a repeated call with the same name and key has no effect
     * @param value the value of the signal
     * @return the result of the call, which is {@link SignalResult#TOO_LATE} if the run has ended
     * @throws NoSuchRunException if there is no such run
     * @throws RefusedValueException if the value is too large, or has a part that cannot be stored
     * @throws PayloadException if the type of the value cannot be stored
     */
    public SignalResult signal(RunId id, String signal, String key, @Nullable Object value) {
        return messages.signal(id, signal, key, value);
    }

    /**
     * Replies to one wait of a run. Once the reply is accepted, {@link RunContext#awaitReply} returns it.
     *
     * @param id the run's id
     * @param reply the reply
     * @return the result of the call, which is {@link SignalResult#TOO_LATE} if the wait or the run has ended, or the
     *     run is compensating
     * @throws NoSuchRunException if there is no such run
     */
    public SignalResult reply(RunId id, RunReply reply) {
        return messages.reply(id, reply);
    }

    /**
     * Requests that a run stop. The next call through the run's context that is not replayed throws {@link
     * RunStoppedException}. A run that is compensating is not stopped.
     *
     * @param id the run's id
     * @param reason the reason for the cancellation
     * @return true if the request was recorded; false if the run has ended
     * @throws NoSuchRunException if there is no such run
     */
    public boolean cancel(RunId id, String reason) {
        return messages.cancel(id, reason) != SignalResult.TOO_LATE;
    }

    /**
     * Continues a run, as {@link #retry(RunId, String)} does for a named person.
     *
     * @param id the run's id
     * @return true if the run continues; false if that method does not continue it
     */
    public boolean retry(RunId id) {
        return retry(id, A_CALLER);
    }

    /**
     * Continues a run that has failed, is parked or blocked, or could not be compensated, from where it stopped.
     *
     * @param id the run's id
     * @param by the person who retries the run, for the log
     * @return true if the run continues; false if it is in none of these states, or has failed and was compensated
     * @throws KeyInUseException if another open run was started {@linkplain RunOptions#whileOpen with the same key}
     */
    public boolean retry(RunId id, String by) {
        return decisions.retry(id, by);
    }

    /**
     * Ends a run permanently without executing its code: nothing is compensated, and the run is never picked up again. Use this method
     * for a run that is blocked, in doubt or parked, or that could not be compensated. Also use it for a run whose code this node does not
     * have, if no node executes the run. Cancel any other run instead.
     *
     * @param id the run's id
     * @param by the person who gives the run up, for the log, the run's error and the reason for its cancellation
     * @return true if the run was given up; false if it has ended or must be cancelled instead
     * @throws NoSuchRunException if there is no such run
     */
    public boolean giveUp(RunId id, String by) {
        return decisions.giveUp(id, by);
    }

    /**
     * Records that a step in doubt took effect, as {@link #resolveAsDone(RunId, String, Object, String)} does for a named person.
     *
     * @param id the run's id
     * @param step the name of the step as the journal shows it, including its key if it has one
     * @param result the result of the step
     * @return true if the run was in doubt about the step, or was blocked with its result as the last journal entry
     * @throws RefusedValueException if the result is too large, or has a part that cannot be stored
     * @throws PayloadException if the type of the result cannot be stored
     */
    public boolean resolveAsDone(RunId id, String step, @Nullable Object result) {
        return resolveAsDone(id, step, result, A_CALLER);
    }

    /**
     * Records that a step in doubt took effect, and continues the run. Also replaces the result of the last journaled
     * step, if that result cannot be read and therefore blocks the run.
     *
     * @param id the run's id
     * @param step the name of the step as the journal shows it, including its key if it has one
     * @param result the result of the step
     * @param by the person who decides, for the log and the journal
     * @return true if the run was in doubt about the step, or was blocked with its result as the last journal entry
     * @throws RefusedValueException if the result is too large, or has a part that cannot be stored
     * @throws PayloadException if the type of the result cannot be stored
     */
    public boolean resolveAsDone(RunId id, String step, @Nullable Object result, String by) {
        StoredValue stored = result == null ? null : payloads.writeGiven(result);
        return decisions.resolve(id, JournalEntry.resolved(step, JournalEntry.Mark.DONE, stored, by), by);
    }

    /**
     * Records that a step in doubt never took effect, as {@link #resolveAsNotDone(RunId, String, String)} does for a named person.
     *
     * @param id the run's id
     * @param step the name of the step as the journal shows it, including its key if it has one
     * @return true if the run was in doubt about the step, or was blocked with its result as the last journal entry
     */
    public boolean resolveAsNotDone(RunId id, String step) {
        return resolveAsNotDone(id, step, A_CALLER);
    }

    /**
     * Records that a step in doubt never took effect, and continues the run, which executes the step's code again. Also
     * discards the result of the last journaled step, if that result cannot be read and therefore blocks the run.
     *
     * @param id the run's id
     * @param step the name of the step as the journal shows it, including its key if it has one
     * @param by the person who decides, for the log and the journal
     * @return true if the run was in doubt about the step, or was blocked with its result as the last journal entry
     */
    public boolean resolveAsNotDone(RunId id, String step, String by) {
        return decisions.resolve(id, JournalEntry.resolved(step, JournalEntry.Mark.ABSENT, null, by), by);
    }

    /**
     * Finds a run, with its steps.
     *
     * @param id the run's id
     * @return the run, or empty if it is unknown or was removed after its end
     */
    public Optional<RunView> find(RunId id) {
        return visible.find(id).map(this::view);
    }

    /**
     * Lists runs without their steps, latest first.
     *
     * @param query the query that selects the runs
     * @return the runs, up to the query's limit
     */
    public List<RunView> list(RunQuery query) {
        return visible.list(query).stream().map(this::view).toList();
    }

    /**
     * Returns a query for the runs of a class.
     *
     * @param run the class of the runs
     * @return the query; use its methods to narrow it
     */
    public RunQuery queryOf(Class<? extends DurableRun<?, ?>> run) {
        return RunQuery.all().of(catalog.of(run).name());
    }

    /**
     * Counts runs, up to {@value RunCount#MOST}.
     *
     * @param query the query that selects the runs; its limit is ignored
     * @return the number of runs
     */
    public RunCount count(RunQuery query) {
        return count(query, RunCount.MOST);
    }

    /**
     * Counts runs. The count stops at a given number, so that it does not read all runs of a large table.
     *
     * @param query the query that selects the runs; its limit is ignored
     * @param most the number at which the count stops
     * @return the number of runs, up to that number
     * @throws IllegalArgumentException if the number is not from 1 to 1,000,000
     */
    public RunCount count(RunQuery query, int most) {
        return visible.count(query, RunCount.requireAllowed(most));
    }

    /**
     * Finds the run that was started with a key. A run that was started with {@link RunOptions#whileOpen} is found until it has ended.
     * A caller outside any tenant finds only a run that was started outside any tenant.
     *
     * @param run the class of the run
     * @param key the key of the run
     * @return the run with its steps, or empty if it is unknown or was removed after its end
     */
    public Optional<RunView> find(Class<? extends DurableRun<?, ?>> run, String key) {
        return visible.find(catalog.of(run).name(), key).map(this::view);
    }

    /**
     * Returns a queue of this application.
     *
     * @param name the name of the queue
     * @return the queue, to pause it or to change its limits
     * @throws io.sagaspring.run.queue.NoSuchQueueException if the application does not declare the queue
     */
    public QueueControl queue(String name) {
        return starter.queue(name);
    }

    private RunView view(RunRow row) {
        return RunView.of(row, row.state().isEnd() ? null : runExecutor.currentStep(row.id()));
    }

    /** {@return the converter between values and their stored form} */
    public Payloads payloads() {
        return payloads;
    }

    /**
     * Waits until a run has ended.
     *
     * @param id the run's id
     * @param timeout the longest time to wait
     * @return true if the run has ended, false if the timeout has passed
     * @throws NoSuchRunException if there is no such run
     * @throws IllegalStateException if the calling thread is executing a run, and the timeout is positive: let the other run signal
     *     this one, and wait with {@link RunContext#awaitSignal}
     * @throws InterruptedException if the calling thread is interrupted
     */
    public boolean awaitEnd(RunId id, Duration timeout) throws InterruptedException {
        return ends.await(id, timeout) != null;
    }

    Optional<Object> awaitReturned(RunId id, Duration timeout) throws InterruptedException {
        return Optional.ofNullable(ends.await(id, timeout)).map(RunEnd::returned);
    }
}
