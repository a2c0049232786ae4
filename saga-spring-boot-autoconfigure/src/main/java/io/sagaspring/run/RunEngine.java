package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.due.Pickup;
import io.sagaspring.fence.Keeper;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Executes runs on this node, from {@link #open()} until {@link #close()}. Applications call {@link Runs}
 * instead.
 *
 * <ol>
 *   <li>{@link #requireCode()} reads the code of all runs and the declarations of the queues, and throws an exception
 *       if it finds faults.
 *   <li>{@link #open()} starts to pick up runs.
 *   <li>{@link #stop()} stops picking up runs, and {@link #close()} releases the runs that are still being executed.
 * </ol>
 *
 * @since 0.1.0
 */
public final class RunEngine implements AutoCloseable {

    private final RunStore store;
    private final RunCatalog catalog;
    private final Tenants tenants;
    private final RunExecutor runExecutor;
    private final Pickup<PickedUpRun> pickup;
    private final RunQueues queues;
    private final RunStarter starter;
    private final Runs runs;
    private final Timeouts timeouts = new Timeouts();
    private volatile boolean closing;

    /**
     * The settings of an engine.
     *
     * @param attempts the number of times that a run may be picked up without progress before it is parked
     * @param blockedPause the pause before a blocked run is picked up again
     * @param slowStep the time after which a step that has not returned is logged
     * @param pickup the settings of the pickup
     * @param defaults the defaults of the steps of all runs
     */
    public record Settings(
            int attempts, Duration blockedPause, Duration slowStep, Pickup.Settings pickup, StepDefaults defaults) {

        /**
         * Creates settings without defaults for the steps.
         *
         * @param attempts the number of times that a run may be picked up without making progress, before it is parked
         * @param blockedPause the time after which a blocked run is picked up again
         * @param slowStep the time after which a step that has not returned is logged
         * @param pickup the settings of the pickup
         */
        public Settings(int attempts, Duration blockedPause, Duration slowStep, Pickup.Settings pickup) {
            this(attempts, blockedPause, slowStep, pickup, StepDefaults.none());
        }
    }

    /**
     * The components of an engine.
     *
     * @param store the store of the runs
     * @param catalog the catalog with the code of the runs
     * @param codec the codec that writes and reads inputs and results
     * @param transactions the executor of transactional steps
     * @param carriers the carriers of the caller's context to the node that executes the run
     * @param tenants the access to the tenants in which runs were started
     * @param queues the queues, or null for none
     */
    public record Parts(
            RunStore store,
            RunCatalog catalog,
            PayloadCodec codec,
            StepTransactions transactions,
            Collection<RunCarrier> carriers,
            Tenants tenants,
            RunQueues.@Nullable Parts queues) {

        /**
         * Creates the components of an engine without queues.
         *
         * @param store the store of the runs
         * @param catalog the catalog of the code of the runs
         * @param codec the codec of inputs and results
         * @param transactions the executor of transactional steps
         * @param carriers the carriers of the caller's context to the node that executes the run
         * @param tenants the access to the tenants in which runs were started
         */
        public Parts(
                RunStore store,
                RunCatalog catalog,
                PayloadCodec codec,
                StepTransactions transactions,
                Collection<RunCarrier> carriers,
                Tenants tenants) {
            this(store, catalog, codec, transactions, carriers, tenants, null);
        }
    }

    /**
     * Creates an engine that does not execute anything yet.
     *
     * @param parts the parts of the engine
     * @param keeper the heartbeat keeper, which renews the leases of the runs that this node executes
     * @param executor the executor whose threads execute the runs
     * @param settings the settings of the engine
     * @param listeners the listeners that are notified when runs change
     */
    public RunEngine(
            Parts parts, Keeper keeper, Executor executor, Settings settings, Collection<RunListener> listeners) {
        this(parts, keeper, executor, settings, List.copyOf(listeners)::stream);
    }

    /**
     * Creates an engine that does not execute anything yet. The listeners can depend on the engine, because their
     * supplier is called later.
     *
     * @param parts the parts of the engine
     * @param keeper the heartbeat keeper, which renews the leases of the runs that this node executes
     * @param executor the executor whose threads execute the runs
     * @param settings the settings of the engine
     * @param listeners the supplier of the listeners, called at the first notification
     */
    public RunEngine(
            Parts parts, Keeper keeper, Executor executor, Settings settings, Supplier<Stream<RunListener>> listeners) {
        this(parts, keeper, executor, settings, listeners, (awaited, timeout) -> timeout);
    }

    /**
     * Creates an engine that does not execute anything yet, with an action that is called before a caller waits.
     *
     * @param parts the parts of the engine
     * @param keeper the heartbeat keeper, which renews the leases of the runs that this node executes
     * @param executor the executor whose threads execute the runs
     * @param settings the settings of the engine
     * @param listeners the supplier of the listeners, called at the first notification
     * @param callersWait the action before a caller waits for the end of a run
     */
    public RunEngine(
            Parts parts,
            Keeper keeper,
            Executor executor,
            Settings settings,
            Supplier<Stream<RunListener>> listeners,
            CallersWait callersWait) {
        this.store = parts.store();
        this.catalog = parts.catalog();
        this.tenants = parts.tenants();
        Payloads payloads = new Payloads(parts.codec());
        CarriedContext carriedContext = new CarriedContext(payloads, List.copyOf(parts.carriers()), parts.tenants());
        RunNotifier notifier = new RunNotifier(
                new Waiters(), SingletonSupplier.of(() -> listeners.get().toList()), parts.tenants(), callersWait);
        this.runExecutor = new RunExecutor(
                store,
                catalog,
                new ReplayingRunContext.Services(
                        payloads, parts.transactions(), this::startFireAndForget, timeouts, carriedContext::definition),
                carriedContext,
                new RunExecutor.Options(
                        settings.attempts(), settings.blockedPause(), settings.slowStep(), settings.defaults()),
                new RunExecutor.ThisNode(keeper::now, this::isClosing, this::wakeIn, this::wakeQueues),
                notifier);
        this.pickup = new Pickup<>(runExecutor, keeper, store, executor, settings.pickup());
        this.queues = new RunQueues(
                parts.queues(),
                catalog,
                runExecutor,
                notifier,
                new RunQueues.Execution(store, keeper, executor, settings.pickup()));
        this.starter = new RunStarter(store, catalog, payloads, carriedContext, pickup, notifier, queues);
        this.runs = new Runs(
                new VisibleRuns(store, parts.tenants()),
                catalog,
                payloads,
                starter,
                runExecutor,
                notifier,
                new Runs.Node(this::wake, this::isClosing));
    }

    /**
     * Returns the API for applications.
     *
     * @return the same object for each call
     */
    public Runs runs() {
        return runs;
    }

    /**
     * Reads the code of all runs and the declarations of the queues, unless they were already read.
     *
     * @throws io.sagaspring.startup.StartupFaultException if the code or a declaration of a queue has faults
     */
    public void requireCode() {
        Set<String> unused = catalog.names();
        queues.requireDeclared();
    }

    /** Starts to pick up runs. */
    public void open() {
        closing = false;
        if (!catalog.names().isEmpty()) {
            queues.open();
            pickup.start();
        }
    }

    /** Stops picking up runs. Runs in progress continue. */
    public void stop() {
        queues.stop();
        pickup.stop();
    }

    /**
     * Stops picking up runs, and begins no further step. A step in progress gets some time to complete, and is then
     * interrupted. The runs are released, so that another node can continue them immediately.
     */
    @Override
    public void close() {
        closing = true;
        stop();
        queues.close();
        pickup.close();
        timeouts.close();
    }

    /** Returns true if this engine is closing or closed, and has not been opened again. */
    private boolean isClosing() {
        return closing && !pickup.isRunning();
    }

    /**
     * Picks up due runs for the free slots now.
     *
     * @return the number of runs that were picked up
     */
    public int sweep() {
        RunMessages.requireNoTransaction("Picking up runs");
        return isClosing() ? 0 : pickup.sweep() + queues.sweep();
    }

    /**
     * Executes a run now, even before it is due. Does nothing if this node has no free slot, if a node executes the
     * run, or if the run does not become due on its own, for example because it has ended.
     *
     * @param id the run's id
     * @return the state of the run now; its execution may not have ended yet
     * @throws NoSuchRunException if there is no such run
     */
    public RunState resume(RunId id) {
        RunMessages.requireNoTransaction("Resuming a run");
        pickup.reserve().ifPresent(slot -> slot.beginIfAny(() -> runExecutor.take(id)));
        return store.findRow(id).orElseThrow(() -> new NoSuchRunException(id)).state();
    }

    /**
     * Starts a run whose code is identified by a class: either a run's class, or a class from which runs are created,
     * such as a saga.
     *
     * @param code the class
     * @param input the input of the run
     * @param options the options of the run, such as its key and its deadline
     * @return the new run, or the existing run with this key in whatever state
     */
    public RunHandle<?> startCode(Class<?> code, @Nullable Object input, RunOptions options) {
        RunCatalog.Code found = catalog.of(code);
        return runs.handle(starter.start(found, input, options), found.output());
    }

    /**
     * Waits until a run has ended, and returns the object that its code has returned. This object is known only on the
     * node that has executed the run to its end, and only if the caller waited at that time.
     *
     * @param id the run's id
     * @param timeout the longest time to wait
     * @return the object, or empty if the run has not completed, or the object is not known
     * @throws NoSuchRunException if there is no such run
     * @throws IllegalStateException if the calling thread is executing a run, and the timeout is positive
     * @throws InterruptedException if the calling thread is interrupted
     */
    public Optional<Object> awaitReturned(RunId id, Duration timeout) throws InterruptedException {
        return runs.awaitReturned(id, timeout);
    }

    /**
     * A run to start by the name of its code.
     *
     * @param run the name of the code
     * @param input the input of the run
     * @param options the options of the run
     */
    public record NamedStart(String run, Object input, RunOptions options) {}

    /**
     * Starts runs by the names of their code, outside of all tenants. If the caller is in a transaction, the runs start in that
     * transaction. This node does not execute them from the start, so any node may.
     *
     * @param starts the runs to start
     * @return for each of them, in order, the new run, or the existing run with the same key in whatever state
     * @throws IllegalArgumentException if this node lacks the code of one of them
     */
    public List<RunHandle<?>> startNamed(List<NamedStart> starts) {
        List<RunStarter.Starting> starting = starts.stream()
                .map(each -> new RunStarter.Starting(named(each.run()), each.input(), each.options()))
                .toList();
        return tenants.in(null, () -> starter.startAll(starting)).stream()
                .<RunHandle<?>>map(started -> runs.handle(started, Object.class))
                .toList();
    }

    private RunCatalog.Code named(String run) {
        return catalog.find(run)
                .orElseThrow(() -> new IllegalArgumentException(
                        "This node has no code for the run '%s'. Use a node that has it.".formatted(run)));
    }

    /**
     * Returns the code on this node.
     *
     * @return the code, one entry for each kind of run
     */
    public List<RunCatalog.Code> code() {
        return catalog.all();
    }

    /** {@return the names of the code on this node} */
    public Set<String> names() {
        return catalog.names();
    }

    private RunId startFireAndForget(String run, String key, Object input) {
        return starter.start(catalog.find(run).orElseThrow(), input, RunOptions.withKey(key))
                .id();
    }

    private void wakeIn(Duration pause) {
        pickup.wakeIn(pause);
        queues.wakeIn(pause);
    }

    private void wake() {
        pickup.wake();
        queues.wake();
    }

    private void wakeQueues() {
        queues.wake();
    }

    /**
     * Returns the names of the queues that the application declares.
     *
     * @return the names, in alphabetical order
     */
    public Set<String> queueNames() {
        return queues.names();
    }

    /**
     * Describes the queues of the database. A node without queues returns none.
     *
     * @return the queues, ordered by name
     */
    public List<QueueDepth> queueDepths() {
        return queues.depths();
    }

    /**
     * Counts the due runs that no node has picked up yet.
     *
     * @return each name of code that has due runs, with the number of these runs, up to 1,000
     */
    public List<Backlog> backlog() {
        return store.backlog(catalog.names());
    }

    /**
     * Returns the number of runs without a queue that this node could pick up now.
     *
     * @return the number of free slots, without the slots for runs of queues
     */
    public int freeSlots() {
        return pickup.freeSlots();
    }
}
