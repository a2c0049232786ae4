package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.payload.PayloadCodec;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Executes runs on this node, from when it is opened until it is closed. An application does not call it: it calls {@link Runs}.
 *
 * <ol>
 *   <li>{@link #requireCode()} reads the code of all runs, and refuses to start with code that could not go on.
 *   <li>{@link #open()} begins to pick up runs.
 *   <li>{@link #stop()} picks up no more, and {@link #close()} gives back what is still executed.
 * </ol>
 *
 * @since 0.1.0
 */
public final class RunEngine implements AutoCloseable {

    private final RunStore store;
    private final RunCatalog catalog;
    private final RunExecutor runExecutor;
    private final Pickup<PickedUpRun> pickup;
    private final RunStarter starts;
    private final Runs runs;
    private volatile boolean closing;

    /**
     * Settings of an engine.
     *
     * @param attempts how often a run may be picked up without an end or a wait, before it is parked
     * @param blockedPause the time after which a run is looked at again whose journal did not fit
     * @param slowStep the time after which a step that has not returned is logged
     * @param pickup how runs are picked up
     */
    public record Settings(int attempts, Duration blockedPause, Duration slowStep, Pickup.Settings pickup) {

        /**
         * Settings where a step that has not returned for a minute is logged.
         *
         * @param attempts how often a run may be picked up without an end or a wait, before it is parked
         * @param blockedPause the time after which a run is looked at again whose journal did not fit
         * @param pickup how runs are picked up
         */
        public Settings(int attempts, Duration blockedPause, Pickup.Settings pickup) {
            this(attempts, blockedPause, Duration.ofMinutes(1), pickup);
        }
    }

    /**
     * The parts of an engine.
     *
     * @param store keeps the runs
     * @param catalog has their code
     * @param codec writes their inputs and results
     * @param transactions of transactional steps
     * @param carriers carry the caller's surroundings into the run
     */
    public record Parts(
            RunStore store,
            RunCatalog catalog,
            PayloadCodec codec,
            StepTransactions transactions,
            Collection<RunCarrier> carriers) {}

    /**
     * Creates an engine that executes nothing yet.
     *
     * @param parts its parts
     * @param keeper renews what this node executes
     * @param executor executes the runs
     * @param settings its settings
     * @param listeners are notified of changes of runs
     */
    public RunEngine(
            Parts parts, Keeper keeper, Executor executor, Settings settings, Collection<RunListener> listeners) {
        this(parts, keeper, executor, settings, List.copyOf(listeners)::stream);
    }

    /**
     * Creates an engine that executes nothing yet, and whose listeners may need it.
     *
     * @param parts its parts
     * @param keeper renews what this node executes
     * @param executor executes the runs
     * @param settings its settings
     * @param listeners finds the listeners when there is something to notify them of
     */
    public RunEngine(
            Parts parts, Keeper keeper, Executor executor, Settings settings, Supplier<Stream<RunListener>> listeners) {
        this.store = parts.store();
        this.catalog = parts.catalog();
        Payloads payloads = new Payloads(parts.codec());
        CarriedContext carrying = new CarriedContext(payloads, List.copyOf(parts.carriers()));
        RunNotifier watch = new RunNotifier(
                new Waiters(), SingletonSupplier.of(() -> listeners.get().toList()));
        this.runExecutor = new RunExecutor(
                store,
                catalog,
                new ReplayingRunContext.Services(payloads, parts.transactions(), this::startFireAndForget),
                carrying,
                new RunExecutor.Terms(settings.attempts(), settings.blockedPause(), settings.slowStep()),
                new RunExecutor.ThisNode(keeper::now, this::isClosing, this::wakeIn),
                watch);
        this.pickup = new Pickup<>(runExecutor, keeper, store, executor, settings.pickup());
        this.starts = new RunStarter(store, payloads, carrying, pickup, watch);
        this.runs = new Runs(store, catalog, payloads, starts, runExecutor, watch, pickup::wake);
    }

    /**
     * Returns what an application calls.
     *
     * @return always the same
     */
    public Runs runs() {
        return runs;
    }

    /**
     * Reads the code of all runs, if it was not read yet.
     *
     * @throws io.sagaspring.startup.StartupFaultException if anything is wrong with it
     */
    public void requireCode() {
        Set<String> unused = catalog.names();
    }

    /** Begins to pick up runs. */
    public void open() {
        closing = false;
        if (!catalog.names().isEmpty()) {
            pickup.start();
        }
    }

    /** Picks up no more. What is executed goes on. */
    public void stop() {
        pickup.stop();
    }

    /**
     * Picks up no more, and begins no step. A step that has begun is given time to end, and is interrupted then. The run is given
     * back, so that another node goes on at once.
     */
    @Override
    public void close() {
        closing = true;
        pickup.close();
    }

    /** An engine that is opened again meanwhile closes no more. */
    private boolean isClosing() {
        return closing && !pickup.isRunning();
    }

    /**
     * Picks up now what is due, into the slots that are free.
     *
     * @return the number of runs that it has found
     */
    public int sweep() {
        Runs.requireNoTransaction("Taking up runs");
        return isClosing() ? 0 : pickup.sweep();
    }

    /**
     * Executes a run now, if it is due or waits, and no node executes it.
     *
     * @param id the run's id
     * @return the state it is in
     * @throws NoSuchRunException if there is none
     */
    public RunState resume(RunId id) {
        Runs.requireNoTransaction("Resuming a run");
        pickup.reserve().ifPresent(slot -> slot.beginIfAny(() -> runExecutor.take(id)));
        return store.look(id).orElseThrow(() -> new NoSuchRunException(id)).state();
    }

    /**
     * Starts a run whose code is known by its class: that of a run, or of what runs are made of.
     *
     * @param code its class
     * @param input the value that it is started with
     * @param options its key, its deadline
     * @return the run, or the one that was started with this key before, as it is
     */
    public RunHandle<?> startCode(Class<?> code, @Nullable Object input, RunOptions options) {
        return runs.started(catalog.of(code), input, options);
    }

    private RunId startFireAndForget(String run, String key, Object input) {
        return starts.start(catalog.find(run).orElseThrow(), input, RunOptions.withKey(key))
                .id();
    }

    private void wakeIn(Duration pause) {
        pickup.wakeIn(pause);
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
}
