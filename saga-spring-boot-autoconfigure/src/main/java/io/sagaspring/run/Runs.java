package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunInbox.Answer;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Starts runs, and all that can be said to them or asked about them:
 *
 * <pre>{@code
 * RunHandle<AccountId> run = runs.start(OpenAccount.class, customer, RunOptions.withKey("open:" + customer.id()));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class Runs {

    private static final Logger logger = LoggerFactory.getLogger(Runs.class);
    private static final String A_CALLER = "a caller";

    private final RunStore store;
    private final RunCatalog catalog;
    private final Payloads payloads;
    private final RunStarter starts;
    private final RunExecutor runExecutor;
    private final RunNotifier watch;

    /** Has this node look for runs that are due. */
    private final Runnable wake;

    Runs(
            RunStore store,
            RunCatalog catalog,
            Payloads payloads,
            RunStarter starts,
            RunExecutor runExecutor,
            RunNotifier watch,
            Runnable wake) {
        this.store = store;
        this.catalog = catalog;
        this.payloads = payloads;
        this.starts = starts;
        this.runExecutor = runExecutor;
        this.watch = watch;
        this.wake = wake;
    }

    /**
     * Starts a run.
     *
     * @param run its code
     * @param input what it is given
     * @return the run
     * @param <I> what it is given
     * @param <O> what it returns
     */
    public <I extends @Nullable Object, O extends @Nullable Object> RunHandle<O> start(
            Class<? extends DurableRun<I, O>> run, I input) {
        return start(run, input, RunOptions.NONE);
    }

    /**
     * Starts a run, in the transaction of the caller if there is one: nothing is started if that rolls back.
     *
     * @param run its code
     * @param input what it is given
     * @param options its key, its deadline
     * @return the run, or the one that was started with this key before, as it is
     * @param <I> what it is given
     * @param <O> what it returns
     * @throws RefusedValueException if the input is too large, or holds what cannot be stored
     * @throws PayloadException if the type of the input cannot be stored or read back
     */
    public <I extends @Nullable Object, O extends @Nullable Object> RunHandle<O> start(
            Class<? extends DurableRun<I, O>> run, I input, RunOptions options) {
        return started(catalog.of(run), input, options);
    }

    <O extends @Nullable Object> RunHandle<O> started(
            RunCatalog.Code code, @Nullable Object input, RunOptions options) {
        RunStarter.Begun begun = starts.start(code, input, options);
        return new RunHandle<>(this, begun.id(), code.output(), begun.isNew());
    }

    /**
     * A run that was started before.
     *
     * @param id which
     * @param run its code
     * @return to wait for its result
     * @param <O> what it returns
     */
    public <O extends @Nullable Object> RunHandle<O> handle(RunId id, Class<? extends DurableRun<?, O>> run) {
        return new RunHandle<>(this, id, catalog.of(run).output(), false);
    }

    /**
     * Tells a run something, once.
     *
     * @param id which run
     * @param signal what it is about
     * @param value what is said
     * @return what became of it
     * @throws NoSuchRunException if there is none
     */
    public SignalResult signal(RunId id, String signal, @Nullable Object value) {
        return signal(id, signal, UUID.randomUUID().toString(), value);
    }

    /**
     * Tells a run something. It is durable when this returns, and is given to the run once, however early it came.
     *
     * @param id which run
     * @param signal what it is about
     * @param key the same for each repetition
     * @param value what is said
     * @return what became of it
     * @throws NoSuchRunException if there is none
     * @throws RefusedValueException if the value is too large, or holds what cannot be stored
     * @throws PayloadException if the type of the value cannot be stored
     */
    public SignalResult signal(RunId id, String signal, String key, @Nullable Object value) {
        SignalKeys.check(key);
        SignalKeys.checkName(signal);
        requireNoTransaction("Telling a run something");
        Answer answer = store.signal(id, signal, key, payloads.writeGiven(value));
        wake.run();
        return SignalResult.of(answer).orElseThrow(() -> new NoSuchRunException(id));
    }

    /**
     * Tells a run something about one wait. Who is told that it was accepted can rely on it: {@link RunContext#awaitReply}
     * returns it.
     *
     * @param id which run
     * @param reply what is said
     * @return what became of it; too late also if the run undoes what it did
     * @throws NoSuchRunException if there is none
     */
    public SignalResult reply(RunId id, RunReply reply) {
        SignalKeys.check(reply.key());
        SignalKeys.checkName(reply.signal());
        payloads.requireReadableGiven(reply.value());
        requireNoTransaction("Answering a run");
        Answer answer = store.reply(id, reply);
        wake.run();
        return SignalResult.of(answer).orElseThrow(() -> new NoSuchRunException(id));
    }

    /**
     * Asks a run to stop. It hears of it when it next asks for something that it was not told before.
     *
     * @param id which run
     * @param reason why
     * @return false if it is over
     * @throws NoSuchRunException if there is none
     */
    public boolean cancel(RunId id, String reason) {
        Objects.requireNonNull(reason, "Who cancels a run says why");
        requireNoTransaction("Cancelling a run");
        Answer answer = store.cancel(id, Objects.requireNonNull(StorageLimits.text(reason)));
        wake.run();
        return SignalResult.of(answer).orElseThrow(() -> new NoSuchRunException(id)) != SignalResult.TOO_LATE;
    }

    /**
     * Has a run go on from the step that failed, or from where it was parked or blocked.
     *
     * @param id which run
     * @return whether it failed, was parked or blocked
     */
    public boolean retry(RunId id) {
        return retry(id, A_CALLER);
    }

    /**
     * Has a run go on from the step that failed, or from where it was parked or blocked.
     *
     * @param id which run
     * @param by who has it retried, for the log
     * @return whether it failed, was parked or blocked
     */
    public boolean retry(RunId id, String by) {
        requireNoTransaction("Retrying a run");
        boolean found = store.retry(id);
        if (found) {
            logger.info("Run {} goes on: retried by {}", id, LogText.of(by));
        }
        wake.run();
        return found;
    }

    /**
     * Ends a run for good without its code: nothing is compensated, and the run is never picked up again. This is for a run that
     * is blocked, in doubt, parked or could not be compensated, and for a run whose code this node does not have and that no
     * node executes. Cancel any other run instead.
     *
     * @param id the run's id
     * @param by who gives it up, for the log, the run's error and the reason of its cancellation
     * @return whether the run was given up
     * @throws NoSuchRunException if there is none
     */
    public boolean giveUp(RunId id, String by) {
        requireNoTransaction("Giving up a run");
        String run =
                store.look(id).orElseThrow(() -> new NoSuchRunException(id)).run();
        String reason = "given up by %s".formatted(LogText.of(by));
        boolean isOrphaned = catalog.find(run).isEmpty();
        if (!store.giveUp(id, reason, isOrphaned)) {
            return false;
        }
        logger.warn("Run {} of '{}' was {}. Nothing was compensated", id, run, reason);
        watch.givenUp(run, id, reason);
        return true;
    }

    /**
     * Says that a step took effect, of which nobody knew, or whose journaled result blocks the run because it cannot be read.
     *
     * @param id which run
     * @param step its name, with its key
     * @param result what it returned
     * @return whether the run was in doubt about it, or blocked after it
     * @throws RefusedValueException if the result is too large, or holds what cannot be stored
     * @throws PayloadException if the type of the result cannot be stored
     */
    public boolean resolveAsDone(RunId id, String step, @Nullable Object result) {
        return resolveAsDone(id, step, result, A_CALLER);
    }

    /**
     * Says that a step took effect, of which nobody knew, or whose journaled result blocks the run because it cannot be read.
     *
     * @param id which run
     * @param step its name, with its key
     * @param result what it returned
     * @param by who says so, for the log and the journal
     * @return whether the run was in doubt about it, or blocked after it
     * @throws RefusedValueException if the result is too large, or holds what cannot be stored
     * @throws PayloadException if the type of the result cannot be stored
     */
    public boolean resolveAsDone(RunId id, String step, @Nullable Object result, String by) {
        StoredValue stored = result == null ? null : payloads.writeGiven(result);
        return resolve(id, JournalEntry.resolved(step, JournalEntry.Mark.DONE, stored, by), by);
    }

    /**
     * Says that a step never took effect, of which nobody knew. It is run again.
     *
     * @param id which run
     * @param step its name, with its key
     * @return whether the run was in doubt about it, or blocked after it
     */
    public boolean resolveAsNotDone(RunId id, String step) {
        return resolveAsNotDone(id, step, A_CALLER);
    }

    /**
     * Says that a step never took effect, of which nobody knew. It is run again.
     *
     * @param id which run
     * @param step its name, with its key
     * @param by who says so, for the log and the journal
     * @return whether the run was in doubt about it, or blocked after it
     */
    public boolean resolveAsNotDone(RunId id, String step, String by) {
        return resolve(id, JournalEntry.resolved(step, JournalEntry.Mark.ABSENT, null, by), by);
    }

    private boolean resolve(RunId id, JournalEntry entry, String by) {
        requireNoTransaction("Resolving a doubt");
        boolean found = store.resolve(id, entry);
        if (found) {
            logger.info(
                    "Step '{}' of run {} was resolved as {} by {}",
                    entry.step(),
                    id,
                    entry.mark() == JournalEntry.Mark.DONE ? "done" : "not done",
                    LogText.of(by));
        }
        wake.run();
        return found;
    }

    /**
     * A run as people see it.
     *
     * @param id which
     * @return empty if there is none, or no longer
     */
    public Optional<RunView> find(RunId id) {
        return store.find(id).map(this::seen);
    }

    /**
     * Runs, latest first, without their steps.
     *
     * @param query which
     * @return at most as many as were asked for
     */
    public List<RunView> list(RunQuery query) {
        return store.list(query).stream().map(this::seen).toList();
    }

    /**
     * Finds the run that was started with a key.
     *
     * @param run its code
     * @param key its key
     * @return the run with its steps, or empty if there is none, or no longer
     */
    public Optional<RunView> find(Class<? extends DurableRun<?, ?>> run, String key) {
        return store.list(new RunQuery(catalog.of(run).name(), key, Set.of(), null, null, 1)).stream()
                .findFirst()
                .flatMap(found -> find(found.id()));
    }

    private RunView seen(RunRow row) {
        return RunView.of(row, row.state().isEnd() ? null : runExecutor.currentStep(row.id()));
    }

    /**
     * How the values of these runs are stored.
     *
     * @return reads and writes them
     */
    public Payloads payloads() {
        return payloads;
    }

    /**
     * Waits until a run is over.
     *
     * @param id which
     * @param patience for how long
     * @return whether it is
     * @throws NoSuchRunException if there is none
     * @throws IllegalStateException if the calling thread executes a run, and there is patience: have the other one signal this
     *     one, and wait by {@link RunContext#awaitSignal}
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public boolean awaitEnd(RunId id, Duration patience) throws InterruptedException {
        return await(id, patience) != null;
    }

    @Nullable
    RunEnd await(RunId id, Duration patience) throws InterruptedException {
        if (patience.compareTo(Duration.ZERO) > 0) {
            requireNotExecuting(id);
        }
        return watch.await(id, patience, () -> RunEnd.of(store.look(id).orElseThrow(() -> new NoSuchRunException(id))));
    }

    /** It would keep its slot meanwhile: when all slots are kept like that, none is left for what they wait for. */
    private void requireNotExecuting(RunId awaited) {
        RunId executing = runExecutor.executing();
        if (executing != null) {
            throw new IllegalStateException(
                    "Run %s was to be awaited on the thread that executes run %s, which keeps one of the slots of saga.runs.concurrency as long as it waits: where all do so, nothing moves. Let run %s signal run %s when it ends (Runs.signal), and wait for that by RunContext.awaitSignal, which keeps no slot."
                            .formatted(awaited, executing, awaited, executing));
        }
    }

    @Nullable
    Object result(@Nullable StoredValue result, Type type) {
        return payloads.read(result, type);
    }

    static void requireNoTransaction(String what) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "%s is a commit of its own, and was asked for inside an active transaction, which may be rolled back. Do it before or after."
                            .formatted(what));
        }
    }
}
