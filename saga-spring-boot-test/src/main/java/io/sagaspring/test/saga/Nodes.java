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
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaCode;
import io.sagaspring.saga.SagaListener;
import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.StepContext;
import io.sagaspring.saga.StepInterceptor;
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
 * The processes of a test, of which one at a time drives executions, on the thread of the test and when the test says so. Who
 * starts them, and says something to them, is another process, which never dies and never drives.
 */
final class Nodes implements AutoCloseable {

    /** More activations are no flow, but a loop. */
    private static final int MOST_ACTIVATIONS = 10_000;

    private final TestStore test;
    private final SagaClock clock;
    private final TestSettings settings;
    private final Code code;
    private final SagaCode sagaCode;
    private final Set<String> names;

    /** What is called store everywhere: which one it is, each test says anew. */
    private final RunStore store;

    private final Worker teller;
    private final List<CrashPoint> crashes = new ArrayList<>();
    private RunStore current;
    private Worker driver;
    private int nodes;
    private @Nullable CrashPoint latestCrash;
    private boolean executing;

    /**
     * The code of a test.
     *
     * @param sagas the beans
     * @param tasks where their tasks are
     * @param listeners are told what happens to executions
     * @param surroundings of bodies
     * @param runListeners are told what happens to runs
     * @param carriers what runs take along
     * @param codec writes values
     */
    record Code(
            List<Saga<?>> sagas,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            List<SagaListener> listeners,
            List<StepInterceptor> surroundings,
            List<RunListener> runListeners,
            List<RunCarrier> carriers,
            PayloadCodec codec) {}

    private record Worker(Node node, RunEngine engine, Keeper keeper) {}

    Nodes(TestStore test, SagaClock clock, TestSettings settings, Code code) {
        this.test = test;
        this.clock = clock;
        this.settings = settings;
        this.code = code;
        this.current = test.of("test");
        this.store = whicheverIsCurrent();
        // The innermost: whatever else surrounds a body is around its end, too.
        List<StepInterceptor> surroundings = Stream.concat(code.surroundings().stream(), Stream.of(this::around))
                .toList();
        this.sagaCode = new SagaCode(new SagaCode.Parts(
                code.sagas(),
                code.tasks(),
                settings.callbackKeys(),
                store,
                code.listeners(),
                surroundings,
                code.codec()));
        this.names = sagaCode.code().stream().map(RunCatalog.Code::name).collect(Collectors.toUnmodifiableSet());
        this.teller = worker("test", store);
        this.driver = next();
        clock.standsStillWhile(() -> executing);
    }

    private RunStore whicheverIsCurrent() {
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
        // It never beats. Nothing has to be renewed: by its ticks no time passes while an execution is driven, however
        // long a
        // debugger stands in it.
        Keeper keeper = new Keeper(new NoConnections(), settings.lease().dividedBy(3), clock::moved);
        RunEngine engine = new RunEngine(
                new RunEngine.Parts(
                        node.over(shared),
                        new RunCatalog(List.of(), sagaCode.code()),
                        code.codec(),
                        node.over(test.transactions()),
                        code.carriers()),
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
            throw new SQLException("In a test nothing is renewed.");
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

    private @Nullable Object around(String saga, StepContext<?> context, Callable<? extends @Nullable Object> body)
            throws Exception {
        driver.node().dieIfAt(CrashPoint.When.BEFORE_BODY, context);
        Object result = body.call();
        driver.node().dieIfAt(CrashPoint.When.AFTER_BODY, context);
        return result;
    }

    /** Everything as before the first test. */
    void reset() {
        crashes.clear();
        latestCrash = null;
        clock.reset();
        test.clear();
        current = test.of("test");
        driver.keeper().close();
        nodes = 0;
        driver = next();
    }

    SagaCode code() {
        return sagaCode;
    }

    /** Those of who tells executions something. */
    RunEngine engine() {
        return teller.engine();
    }

    Payloads payloads() {
        return teller.engine().runs().payloads();
    }

    Duration lease() {
        return settings.lease();
    }

    /** What is journaled of an execution. */
    List<JournalEntry> journal(RunId id) {
        return store.find(id).map(RunRow::journal).orElse(List.of());
    }

    void crashAt(CrashPoint point) {
        crashes.add(point);
    }

    List<CrashPoint> crashesToCome() {
        return List.copyOf(crashes);
    }

    /** Where a node died of which nobody has said that another one takes over from it. */
    Optional<CrashPoint> takeLatestCrash() {
        Optional<CrashPoint> taken = Optional.ofNullable(latestCrash);
        latestCrash = null;
        return taken;
    }

    /** Drives what is due, each until it waits or is over, in the order in which it fell due. */
    void runWhatIsDue() {
        if (executing) {
            throw new IllegalStateException(
                    "What is due was to be run inside a step. It is run when the step is over.");
        }
        executing = true;
        try {
            for (int activation = 0; isAnyDue(); activation++) {
                if (activation == MOST_ACTIVATIONS) {
                    throw new AssertionError(
                            "After %d activations there is still something due: an execution neither waits nor ends. %s"
                                    .formatted(MOST_ACTIVATIONS, sagasInMotion()));
                }
                int unused = driver.engine().sweep();
                replaceIfDead();
            }
        } finally {
            executing = false;
        }
    }

    private String sagasInMotion() {
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
        CrashPoint diedAt = driver.node().diedAt();
        if (diedAt != null) {
            latestCrash = diedAt;
            driver.keeper().close();
            driver = next();
        }
    }

    /** Lets time pass, and has what falls due meanwhile run at its moment. */
    void timePasses(Duration time) {
        runWhatIsDue();
        Duration left = time;
        Optional<Duration> due = untilDue(left);
        for (int moment = 0; due.isPresent(); moment++) {
            if (moment == MOST_ACTIVATIONS) {
                throw new AssertionError(
                        "Within %s something falls due more than %d times: an execution does not come to its end. %s"
                                .formatted(time, MOST_ACTIVATIONS, sagasInMotion()));
            }
            Duration until = due.get().isNegative() ? Duration.ZERO : due.get();
            clock.advance(until);
            left = left.minus(until);
            runWhatIsDue();
            due = untilDue(left);
        }
        clock.advance(left);
        runWhatIsDue();
    }

    @Override
    public void close() {
        Collection<Worker> all = List.of(teller, driver);
        all.forEach(each -> each.keeper().close());
        sagaCode.close();
    }
}
