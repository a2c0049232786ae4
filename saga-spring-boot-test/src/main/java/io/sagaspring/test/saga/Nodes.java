package io.sagaspring.test.saga;

import io.sagaspring.fence.Keeper;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.VisibleRuns;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaCode;
import io.sagaspring.saga.SagaListener;
import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepInterceptor;
import io.sagaspring.tenant.Tenants;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The nodes of a test. One node at a time executes runs, on the test's thread and only when the test requests it.
 * Another node starts executions and sends them signals and callbacks. This second node never dies and never executes a
 * run.
 */
final class Nodes implements AutoCloseable {

    /** The maximum number of activations. A flow that exceeds it is considered an endless loop. */
    private static final int MAX_ACTIVATIONS = 10_000;

    private final TestStore test;
    private final SagaClock clock;
    private final TestSettings settings;
    private final Code code;
    private final SagaCode sagaCode;
    private final Set<String> names;

    /** A proxy for the store of the current test, which changes before each test. */
    private final RunStore store;

    private final Worker client;
    private final List<CrashPoint> crashes = new ArrayList<>();
    private RunStore current;
    private Worker executor;
    private int nodes;
    private @Nullable CrashPoint latestCrash;
    private boolean executing;

    /**
     * The code under test.
     *
     * @param sagas the saga beans
     * @param tasks finds the sagas' tasks
     * @param listeners the listeners for executions
     * @param interceptors the interceptors around each step's code
     * @param runListeners the listeners for runs
     * @param carriers the carriers of the runs
     * @param codec the codec of stored values
     * @param tenants the tenants of the runs
     */
    record Code(
            List<Saga<?>> sagas,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            List<SagaListener> listeners,
            List<StepInterceptor> interceptors,
            List<RunListener> runListeners,
            List<RunCarrier> carriers,
            PayloadCodec codec,
            Tenants tenants) {}

    private record Worker(Node node, RunEngine engine, Keeper keeper) {}

    Nodes(TestStore test, SagaClock clock, TestSettings settings, Code code) {
        this.test = test;
        this.clock = clock;
        this.settings = settings;
        this.code = code;
        this.current = test.of("test");
        this.store = currentStore();
        // This is the innermost interceptor, so that every other one also surrounds the crash.
        List<StepInterceptor> interceptors = Stream.concat(code.interceptors().stream(), Stream.of(this::around))
                .toList();
        this.sagaCode = new SagaCode(new SagaCode.Parts(
                code.sagas(),
                code.tasks(),
                settings.callbackKeys(),
                new VisibleRuns(store, code.tenants()),
                code.listeners(),
                interceptors,
                code.codec()));
        this.names = sagaCode.code().stream().map(RunCatalog.Code::name).collect(Collectors.toUnmodifiableSet());
        this.client = worker("test", store);
        this.executor = next();
        clock.standsStillWhile(() -> executing);
    }

    private RunStore currentStore() {
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(current, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                });
    }

    private Worker worker(String name, RunStore shared) {
        Node node = new Node(name, crashes);
        // The keeper sends no heartbeats. Nothing needs to be renewed: the keeper's clock does not advance during an
        // execution, however long a debugger pauses it.
        Keeper keeper = new Keeper(new NoConnections(), settings.lease().dividedBy(3), clock::moved);
        RunEngine engine = new RunEngine(
                new RunEngine.Parts(
                        node.over(shared),
                        new RunCatalog(List.of(), sagaCode.code()),
                        code.codec(),
                        node.over(test.transactions()),
                        code.carriers(),
                        code.tenants()),
                keeper,
                Runnable::run,
                settings.runs(),
                Stream.concat(code.runListeners().stream(), Stream.of(sagaCode.listener()))
                        .toList());
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
        return worker(name, test.of(name));
    }

    private @Nullable Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> code)
            throws Exception {
        executor.node().dieIfAt(CrashPoint.When.BEFORE_BODY, context);
        Object result = code.call();
        executor.node().dieIfAt(CrashPoint.When.AFTER_BODY, context);
        return result;
    }

    /** Restores the state that existed before the first test. */
    void reset() {
        crashes.clear();
        latestCrash = null;
        clock.reset();
        test.clear();
        current = test.of("test");
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
        executing = true;
        try {
            for (int activation = 0; isAnyDue(); activation++) {
                if (activation == MAX_ACTIVATIONS) {
                    throw new AssertionError(
                            "After %d activations, a run is still due: an execution neither waits nor ends. %s"
                                    .formatted(MAX_ACTIVATIONS, unfinishedSagas()));
                }
                int unused = executor.engine().sweep();
                replaceIfDead();
            }
        } finally {
            executing = false;
        }
    }

    private String unfinishedSagas() {
        return store.list(new RunQuery(null, Set.of(), null, 10)).stream()
                .filter(each -> !each.state().isEnd())
                .map(each -> "%s of '%s' is %s"
                        .formatted(each.id(), each.run(), each.state().text()))
                .collect(Collectors.joining(", "));
    }

    private boolean isAnyDue() {
        return untilDue(Duration.ZERO).isPresent();
    }

    private Optional<Duration> untilDue(Duration within) {
        return names.isEmpty() ? Optional.empty() : store.untilDue(names, within);
    }

    private void replaceIfDead() {
        CrashPoint diedAt = executor.node().diedAt();
        if (diedAt != null) {
            latestCrash = diedAt;
            executor.keeper().close();
            executor = next();
        }
    }

    /** Advances the clock, and executes each run when it becomes due. */
    void timePasses(Duration time) {
        runWhatIsDue();
        Duration remaining = time;
        Optional<Duration> due = untilDue(remaining);
        for (int moment = 0; due.isPresent(); moment++) {
            if (moment == MAX_ACTIVATIONS) {
                throw new AssertionError(
                        "Within %s, runs became due more than %d times, so an execution does not end. %s"
                                .formatted(time, MAX_ACTIVATIONS, unfinishedSagas()));
            }
            Duration until = due.get().isNegative() ? Duration.ZERO : due.get();
            clock.advance(until);
            remaining = remaining.minus(until);
            runWhatIsDue();
            due = untilDue(remaining);
        }
        clock.advance(remaining);
        runWhatIsDue();
    }

    @Override
    public void close() {
        Collection<Worker> all = List.of(client, executor);
        all.forEach(each -> each.keeper().close());
        sagaCode.close();
    }
}
