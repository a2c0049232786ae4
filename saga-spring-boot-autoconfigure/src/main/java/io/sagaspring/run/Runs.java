package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunInbox.Answer;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Starts runs, and all that can be said to them or asked about them:
 *
 * <pre>{@code
 * RunHandle<AccountId> run = runs.start(OpenAccount.class, customer, RunOptions.withKey("open:" + customer.id()));
 * }</pre>
 */
public final class Runs implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Runs.class);
    private static final String A_CALLER = "a caller";

    private final RunStore store;
    private final RunCatalog catalog;
    private final Payloads payloads;
    private final Carrying carrying;
    private final RunDriver driver;
    private final Pickup<PickedUpRun> pickup;
    private final Waiters waiters = new Waiters();
    private final RunWatch watch;
    private volatile boolean closing;

    /**
     * What may be set.
     *
     * @param attempts how often a run may be taken up without an end or a wait, before it is parked
     * @param blockedPause after which a run is looked at again whose journal did not fit
     * @param slowStep after which a step that has not returned is logged
     * @param pickup how runs are picked up
     */
    public record Settings(int attempts, Duration blockedPause, Duration slowStep, Pickup.Settings pickup) {

        /**
         * Settings where a step that has not returned for a minute is logged.
         *
         * @param attempts how often a run may be taken up without an end or a wait, before it is parked
         * @param blockedPause after which a run is looked at again whose journal did not fit
         * @param pickup how runs are picked up
         */
        public Settings(int attempts, Duration blockedPause, Pickup.Settings pickup) {
            this(attempts, blockedPause, Duration.ofMinutes(1), pickup);
        }
    }

    /**
     * What runs are made of.
     *
     * @param store where they are kept
     * @param catalog their code
     * @param codec writes what they are given and return
     * @param transactions of transactional steps
     * @param carriers what they take along
     */
    public record Parts(
            RunStore store,
            RunCatalog catalog,
            PayloadCodec codec,
            StepTransactions transactions,
            Collection<RunCarrier> carriers) {}

    /**
     * Runs that are not yet driven.
     *
     * @param parts what they are made of
     * @param keeper keeps what this node drives
     * @param executor on which they are driven
     * @param settings what may be set
     * @param listeners are told what becomes of them
     */
    public Runs(Parts parts, Keeper keeper, Executor executor, Settings settings, Collection<RunListener> listeners) {
        this(parts, keeper, executor, settings, List.copyOf(listeners)::stream);
    }

    /**
     * Runs that are not yet driven, whose listeners may need them.
     *
     * @param parts what they are made of
     * @param keeper keeps what this node drives
     * @param executor on which they are driven
     * @param settings what may be set
     * @param listeners finds those who are told what becomes of them, when there is something to tell
     */
    public Runs(
            Parts parts, Keeper keeper, Executor executor, Settings settings, Supplier<Stream<RunListener>> listeners) {
        this.store = parts.store();
        this.catalog = parts.catalog();
        this.payloads = new Payloads(parts.codec());
        this.carrying = new Carrying(payloads, List.copyOf(parts.carriers()));
        this.watch =
                new RunWatch(waiters, SingletonSupplier.of(() -> listeners.get().toList()));
        this.driver = new RunDriver(
                store,
                catalog,
                payloads,
                parts.transactions(),
                carrying,
                new RunDriver.Terms(settings.attempts(), settings.blockedPause(), settings.slowStep()),
                keeper::now,
                watch,
                this::wakeIn,
                this::isClosing,
                this::startBeside);
        this.pickup = new Pickup<>(driver, keeper, store, executor, settings.pickup());
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

    /**
     * Starts a run whose code is known by its class: that of a run, or of what runs are made of.
     *
     * @param code its class
     * @param input what it is given
     * @param options its key, its deadline
     * @return the run, or the one that was started with this key before, as it is
     */
    public RunHandle<?> startCode(Class<?> code, @Nullable Object input, RunOptions options) {
        return started(catalog.of(code), input, options);
    }

    private <O extends @Nullable Object> RunHandle<O> started(
            RunCatalog.Code code, @Nullable Object input, RunOptions options) {
        Stored stored = payloads.writeInput(input, code.input());
        Stored carried = carrying.captured();
        boolean inTransaction = TransactionPhase.isActive();
        Optional<Pickup<PickedUpRun>.Slot> slot = inTransaction ? Optional.empty() : pickup.reserve();
        NewRun asked = new NewRun(
                RunId.next(), code.name(), options.key(), stored, carried, options.deadline(), slot.isPresent());
        Started started;
        try {
            started = store.start(asked);
        } catch (RuntimeException | Error failed) {
            slot.ifPresent(Pickup.Slot::release);
            throw failed;
        }
        boolean isNew = started.id().equals(asked.id());
        if (started.token() != null && slot.isPresent()) {
            PickedUpRun taken = new PickedUpRun(
                    new Driven(started.id(), started.token()),
                    asked.run(),
                    stored,
                    asked.carried(),
                    List.of(),
                    Standing.OF_A_NEW_RUN,
                    started.at(),
                    1,
                    0,
                    false,
                    false);
            watch.driven(taken, RunEvent.STARTED);
            slot.get().begin(taken);
        } else {
            slot.ifPresent(Pickup.Slot::release);
            if (isNew) {
                wakeAfterCommit(asked, inTransaction);
            }
        }
        return new RunHandle<>(this, started.id(), code.output(), isNew);
    }

    private RunId startBeside(String run, String key, Object input) {
        return started(catalog.find(run).orElseThrow(), input, RunOptions.withKey(key))
                .id();
    }

    /** Who is opened again meanwhile closes no more. */
    private boolean isClosing() {
        return closing && !pickup.isRunning();
    }

    private void wakeIn(Duration pause) {
        pickup.wakeIn(pause);
    }

    private void wakeAfterCommit(NewRun asked, boolean inTransaction) {
        Runnable wake = () -> {
            watch.tell(asked.run(), asked.id(), RunEvent.STARTED);
            pickup.wake();
        };
        if (inTransaction && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    wake.run();
                }
            });
        } else {
            wake.run();
        }
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
     * Drives a run now, if it is due or waits, and nobody drives it.
     *
     * @param id which
     * @return where it stands
     * @throws NoSuchRunException if there is none
     */
    public RunState resume(RunId id) {
        requireNoTransaction("Resuming a run");
        pickup.reserve().ifPresent(slot -> slot.beginIfAny(() -> driver.take(id)));
        return store.look(id).orElseThrow(() -> new NoSuchRunException(id)).state();
    }

    /**
     * Takes up now what is due, into the slots that are free.
     *
     * @return how many runs it has found
     */
    public int sweep() {
        requireNoTransaction("Taking up runs");
        return isClosing() ? 0 : pickup.sweep();
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
    public SignalAnswer signal(RunId id, String signal, @Nullable Object value) {
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
    public SignalAnswer signal(RunId id, String signal, String key, @Nullable Object value) {
        SignalKeys.check(key);
        SignalKeys.checkName(signal);
        requireNoTransaction("Telling a run something");
        Answer answer = store.signal(id, signal, key, payloads.writeGiven(value));
        pickup.wake();
        return SignalAnswer.of(answer).orElseThrow(() -> new NoSuchRunException(id));
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
    public SignalAnswer reply(RunId id, RunReply reply) {
        SignalKeys.check(reply.key());
        SignalKeys.checkName(reply.signal());
        payloads.requireReadableGiven(reply.value());
        requireNoTransaction("Answering a run");
        Answer answer = store.reply(id, reply);
        pickup.wake();
        return SignalAnswer.of(answer).orElseThrow(() -> new NoSuchRunException(id));
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
        Answer answer = store.cancel(id, Objects.requireNonNull(Storable.text(reason)));
        pickup.wake();
        return SignalAnswer.of(answer).orElseThrow(() -> new NoSuchRunException(id)) != SignalAnswer.TOO_LATE;
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
        pickup.wake();
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
        Stored stored = result == null ? null : payloads.writeGiven(result);
        return resolve(id, Entry.resolved(step, Entry.Mark.DONE, stored, by), by);
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
        return resolve(id, Entry.resolved(step, Entry.Mark.ABSENT, null, by), by);
    }

    private boolean resolve(RunId id, Entry entry, String by) {
        requireNoTransaction("Resolving a doubt");
        boolean found = store.resolve(id, entry);
        if (found) {
            logger.info(
                    "Step '{}' of run {} was resolved as {} by {}",
                    entry.step(),
                    id,
                    entry.mark() == Entry.Mark.DONE ? "done" : "not done",
                    LogText.of(by));
        }
        pickup.wake();
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
        return RunView.of(row, row.state().isEnd() ? null : driver.currentStep(row.id()));
    }

    /**
     * Counts the runs that are due and that no node has picked up.
     *
     * @return the names of all runs of which some are due
     */
    public List<Backlog> backlog() {
        return store.backlog(catalog.names());
    }

    /**
     * Returns how many runs this node could pick up now.
     *
     * @return the free slots
     */
    public int freeSlots() {
        return pickup.freeSlots();
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
     * Reads the code of all runs, if nobody has needed it yet.
     *
     * @throws InvalidRunsException if anything is wrong with it
     */
    public void requireCode() {
        Set<String> unused = catalog.names();
    }

    /** Begins to take up runs. */
    public void open() {
        closing = false;
        if (!catalog.names().isEmpty()) {
            pickup.start();
        }
    }

    /** Takes up no more. What is driven goes on. */
    public void stop() {
        pickup.stop();
    }

    /**
     * Takes up no more, and begins no step. What is in a step is given time to end it, and is interrupted then. It is given
     * back, so that another node goes on at once.
     */
    @Override
    public void close() {
        closing = true;
        pickup.close();
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
        return waiters.await(
                id, patience, () -> RunEnd.of(store.look(id).orElseThrow(() -> new NoSuchRunException(id))));
    }

    /** It would keep its slot meanwhile: when all slots are kept like that, none is left for what they wait for. */
    private void requireNotExecuting(RunId awaited) {
        RunId executing = driver.executing();
        if (executing != null) {
            throw new IllegalStateException(
                    "Run %s was to be awaited on the thread that executes run %s, which keeps one of the slots of saga.runs.concurrency as long as it waits: where all do so, nothing moves. Let run %s signal run %s when it ends (Runs.signal), and wait for that by RunContext.awaitSignal, which keeps no slot."
                            .formatted(awaited, executing, awaited, executing));
        }
    }

    @Nullable
    Object result(@Nullable Stored result, Type type) {
        return payloads.read(result, type);
    }

    private static void requireNoTransaction(String what) {
        if (TransactionPhase.isActive()) {
            throw new IllegalTransactionStateException(
                    "%s is a commit of its own, and was asked for inside an active transaction, which may be rolled back. Do it before or after."
                            .formatted(what));
        }
    }
}
