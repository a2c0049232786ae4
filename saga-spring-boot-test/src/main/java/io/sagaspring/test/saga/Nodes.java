package io.sagaspring.test.saga;

import io.sagaspring.fence.Keeper;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunEngine.NamedStart;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunQueues;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.RunView;
import io.sagaspring.run.VisibleRuns;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaCode;
import io.sagaspring.saga.SagaListener;
import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepInterceptor;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.tenant.Tenants;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.function.SingletonSupplier;

/**
 * The nodes of a test. One node at a time executes runs, on the test's thread, and only when the test requests it or while a caller waits
 * for a run. Another node starts executions and sends them signals and callbacks. This second node never dies and never executes a run.
 */
final class Nodes implements AutoCloseable {

    /**
     * The maximum number of times that one call of the test executes due runs. If runs are due more often, the test
     * fails, because some run apparently loops endlessly.
     */
    static final int MAX_ACTIVATIONS = 10_000;

    private static final int QUEUE_SLOTS = 8;

    private final TestStore test;
    private final SagaClock clock;
    private final TestSettings settings;
    private final Code code;
    private final SagaCode sagaCode;
    private final Supplier<List<RunCatalog.Code>> runCode;
    private final RunCatalog catalog;
    private final Supplier<Set<String>> names;
    private final StepCalls calls = new StepCalls(this::node);

    /** A proxy for the store of the current test. The store itself is replaced before each test. */
    private final RunStore store;

    private final Supplier<Queues> queues;
    private final QueueStore queueStore;

    /** The queues that the test has filled. All their permits seem to be in use. */
    private final Set<String> full = new HashSet<>();

    private final Worker client;
    private final List<CrashPoint> crashes = new ArrayList<>();
    private TestStore.Stores current;
    private Worker executor;
    private int nodes;
    private @Nullable CrashPoint latestCrash;
    private boolean executing;

    /**
     * True if the latest sweep began no run, because the first runs in the queues wait for other runs with the same
     * queue key. Queued runs then do not count as due.
     */
    private boolean queuesAreStuck;

    /**
     * The code under test.
     *
     * @param sagas the saga beans
     * @param runs the supplier of the run beans, which may depend on the nodes
     * @param tasks the function that finds the bean of a task by its class
     * @param listeners the listeners for executions
     * @param interceptors the interceptors around each step's code
     * @param runListeners the listeners for runs
     * @param carriers the carriers of the runs
     * @param codec the codec of stored values
     * @param tenants the tenants of the runs
     * @param queues the supplier of the queues that the test declares
     */
    record Code(
            List<Saga<?>> sagas,
            Supplier<List<DurableRun<?, ?>>> runs,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            List<SagaListener> listeners,
            List<StepInterceptor> interceptors,
            List<RunListener> runListeners,
            List<RunCarrier> carriers,
            PayloadCodec codec,
            Tenants tenants,
            Supplier<Queues> queues) {}

    private record Worker(Node node, RunEngine engine, Keeper keeper) {}

    Nodes(TestStore test, SagaClock clock, TestSettings settings, Code code) {
        this.test = test;
        this.clock = clock;
        this.settings = settings;
        this.code = code;
        this.current = test.of("test");
        this.store = current(RunStore.class, TestStore.Stores::runs);
        this.queues = SingletonSupplier.of(code.queues());
        this.queueStore = new FullQueues(current(QueueStore.class, TestStore.Stores::queues), full);
        // The interceptor that makes nodes die is the innermost one, so that a crash passes through all the others.
        List<StepInterceptor> interceptors = Stream.concat(code.interceptors().stream(), Stream.of(this::around))
                .toList();
        this.sagaCode = new SagaCode(
                new SagaCode.Parts(
                        code.sagas(),
                        code.tasks(),
                        settings.callbackKeys(),
                        new VisibleRuns(store, code.tenants()),
                        code.listeners(),
                        interceptors,
                        code.codec()),
                settings.defaults());
        this.runCode = SingletonSupplier.of(() -> TestedRuns.code(code.runs().get(), code.codec(), calls));
        Supplier<List<RunCatalog.Code>> all = SingletonSupplier.of(() ->
                Stream.concat(sagaCode.code().stream(), runCode.get().stream()).toList());
        this.catalog = RunCatalog.lazily(() -> new RunCatalog(List.of(), all.get(), code.codec()));
        this.names = SingletonSupplier.of(
                () -> all.get().stream().map(RunCatalog.Code::name).collect(Collectors.toUnmodifiableSet()));
        this.client = worker("test", store, queueStore);
        this.executor = next();
        clock.standsStillWhile(() -> executing);
    }

    private <T> T current(Class<T> type, Function<TestStore.Stores, T> part) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(part.apply(current), arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                }));
    }

    private Worker worker(String name, RunStore shared, QueueStore sharedQueues) {
        Node node = new Node(name, crashes);
        // The keeper sends no heartbeats. Nothing needs to be renewed: the keeper's clock does not advance during an
        // execution, however long a debugger pauses it.
        Keeper keeper = new Keeper(new NoConnections(), settings.lease().dividedBy(3), clock::moved);
        RunEngine engine = new RunEngine(
                new RunEngine.Parts(
                        node.over(shared),
                        catalog,
                        code.codec(),
                        node.over(test.transactions()),
                        code.carriers(),
                        code.tenants(),
                        new RunQueues.Parts(node.over(sharedQueues), queues, QUEUE_SLOTS)),
                keeper,
                Runnable::run,
                settings.runs(),
                () -> Stream.concat(code.runListeners().stream(), Stream.of(sagaCode.listener())),
                (awaited, timeout) -> time().await(awaited, timeout));
        return new Worker(node, engine, keeper);
    }

    private static final class NoConnections extends AbstractDataSource {

        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("Saga tests do not renew leases.");
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }
    }

    private Worker next() {
        String name = "node-%d".formatted(++nodes);
        TestStore.Stores stores = test.of(name);
        return worker(name, stores.runs(), new FullQueues(stores.queues(), full));
    }

    private @Nullable Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> code)
            throws Exception {
        RunId execution = RunId.of(context.executionId());
        String step = CrashPoint.nameOf(context);
        executor.node().dieIfAt(CrashPoint.When.BEFORE_BODY, step, execution);
        Object result = code.call();
        executor.node().dieIfAt(CrashPoint.When.AFTER_BODY, step, execution);
        return result;
    }

    /** Returns the node that executes runs. */
    private Node node() {
        return executor.node();
    }

    /** Returns the calls of the steps of runs that are not sagas. */
    StepCalls calls() {
        return calls;
    }

    /** Restores the state that existed before the first test. */
    void reset() {
        crashes.clear();
        latestCrash = null;
        calls.clear();
        clock.reset();
        test.clear();
        current = test.of("test");
        full.clear();
        executor.keeper().close();
        nodes = 0;
        executor = next();
    }

    SagaCode code() {
        return sagaCode;
    }

    /** Returns the engine of the node that only sends signals, callbacks and other calls, and never dies. */
    RunEngine engine() {
        return client.engine();
    }

    /** Starts the saga of a schedule. Returns the new execution, or the existing one of this instant. */
    RunId fireSaga(Firing firing) {
        return fire(firing, "saga", sagaCode.code());
    }

    /** Starts the run of a schedule. Returns the new run, or the existing one of this instant. */
    RunId fireRun(Firing firing) {
        return fire(firing, "run", runCode.get());
    }

    private RunId fire(Firing firing, String kind, Collection<RunCatalog.Code> all) {
        RunCatalog.Code scheduled = all.stream()
                .filter(each -> MergedAnnotations.from(each.type(), SearchStrategy.TYPE_HIERARCHY).stream(
                                RunSchedule.class)
                        .anyMatch(schedule -> schedule.getString("name").equals(firing.schedule())))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "No %s of this test has a @RunSchedule with the name '%s'. Add the %s to @SagaTest, or correct the name."
                                .formatted(kind, firing.schedule(), kind)));
        return client.engine()
                .startNamed(List.of(new NamedStart(scheduled.name(), firing, RunOptions.withKey(firing.key()))))
                .get(0)
                .id();
    }

    Payloads payloads() {
        return client.engine().runs().payloads();
    }

    Duration lease() {
        return settings.lease();
    }

    /** Returns the journal of an execution. */
    List<JournalEntry> journal(RunId id) {
        return store.find(id).map(RunRow::journal).orElse(List.of());
    }

    void crashAt(CrashPoint point) {
        crashes.add(point);
    }

    List<CrashPoint> crashesToCome() {
        return List.copyOf(crashes);
    }

    /** Returns the latest crash whose execution has not been resumed yet, and forgets the crash. */
    Optional<CrashPoint> takeLatestCrash() {
        Optional<CrashPoint> crash = Optional.ofNullable(latestCrash);
        latestCrash = null;
        return crash;
    }

    /** Executes all due runs, in the order of their due times, until each of them waits or has ended. */
    void runWhatIsDue() {
        if (executing) {
            throw new IllegalStateException(
                    "Runs cannot be executed inside a step. Due runs are executed when the step has ended.");
        }
        queuesAreStuck = false;
        executing = true;
        try {
            queues.get().all().forEach(queueStore::declare);
            for (int activation = 0; isAnyDue(); activation++) {
                if (activation == MAX_ACTIVATIONS) {
                    throw new AssertionError(
                            "Due runs were executed %d times, and a run is still due: it neither waits nor ends. Unfinished runs: %s"
                                    .formatted(MAX_ACTIVATIONS, unfinishedRuns()));
                }
                queuesAreStuck = executor.engine().sweep() == 0;
                replaceIfDead();
            }
        } finally {
            executing = false;
        }
    }

    String unfinishedRuns() {
        return store.list(new RunQuery(null, Set.of(), null, 10)).stream()
                .filter(each -> !each.state().isEnd())
                .map(each -> "%s of '%s' is %s"
                        .formatted(each.id(), each.run(), each.state().text()))
                .collect(Collectors.joining(", "));
    }

    private boolean isAnyDue() {
        return untilDue(Duration.ZERO).isPresent();
    }

    Optional<Duration> untilDue(Duration within) {
        if (names.get().isEmpty()) {
            return Optional.empty();
        }
        Optional<Duration> inQueues = queues.get().names().isEmpty() || queuesAreStuck
                ? Optional.empty()
                : queueStore.untilNext(queues.get().names(), within);
        return Stream.concat(store.untilDue(names.get(), within).stream(), inQueues.stream())
                .min(Comparator.naturalOrder());
    }

    /** Fills a queue, so that all its permits seem to be in use, or frees it again. */
    void fill(String queue, boolean isFull) {
        queues.get().require(queue);
        boolean unused = isFull ? full.add(queue) : full.remove(queue);
    }

    private void replaceIfDead() {
        CrashPoint diedAt = executor.node().diedAt();
        if (diedAt != null) {
            latestCrash = diedAt;
            executor.keeper().close();
            executor = next();
        }
    }

    /** Lets time pass, and executes each run when it becomes due. */
    void timePasses(Duration time) {
        time().pass(time);
    }

    private PassingTime time() {
        return new PassingTime(this, clock);
    }

    /** Returns a run, as {@link io.sagaspring.run.Runs#find} shows it. */
    RunView view(RunId id) {
        return client.engine()
                .runs()
                .find(id)
                .orElseThrow(() -> new AssertionError("There is no run %s.".formatted(id)));
    }

    @Override
    public void close() {
        Collection<Worker> all = List.of(client, executor);
        all.forEach(each -> each.keeper().close());
        sagaCode.close();
    }
}
