package io.sagaspring.schedule;

import static org.awaitility.Awaitility.await;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunNode;
import io.sagaspring.run.RunState;
import io.sagaspring.schedule.ScheduleSettings.Of;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Pool;
import io.sagaspring.test.database.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests schedules on nodes that share one database. A test lets time pass by changing the next instant of the schedule.
 */
abstract class SchedulesOnPostgres {

    static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    static final DataSource connections = Pool.of(database);
    static final SagaSchema schema = SagaSchema.migrate(connections, null);
    static final JdbcClient jdbc = JdbcClient.create(connections);
    static final Duration SOON = Duration.ofSeconds(20);
    static final Duration POLL = Duration.ofSeconds(1);

    final List<RunNode> nodes = new ArrayList<>();
    final List<Firing> firings = new CopyOnWriteArrayList<>();
    volatile CountDownLatch gate = new CountDownLatch(0);
    Duration patience = Duration.ZERO;
    volatile Runnable beforeLook = () -> {};

    /** A scheduled run that waits until the test opens the gate. */
    @RunSchedule(name = "tick", fixedRate = "1h")
    final class Tick implements DurableRun<Firing, @Nullable Void> {

        @Override
        public String name() {
            return "tick";
        }

        @Override
        public @Nullable Void run(RunContext run, Firing firing) throws Exception {
            run.step("note", () -> {
                firings.add(firing);
                gate.await();
            });
            return null;
        }
    }

    final class Node {

        final RunNode runs;
        final ScheduleEngine engine;
        final Schedules schedules;

        Node(Of properties) {
            this.runs = RunNode.on(schema, connections, "node-" + nodes.size())
                    .beans(List.of(new Tick()))
                    .build()
                    .opened();
            nodes.add(runs);
            Map<String, Of> byName = Map.of("tick", properties);
            this.engine = new ScheduleEngine(
                    new ScheduleEngine.Parts(
                            slowed(new PostgresScheduleStore(schema, new OwnTransactions(connections), connections)),
                            runs.store(),
                            () -> ScheduleCatalog.read(runs.engine.code(), new Settings(byName)),
                            () -> runs.engine,
                            List::of),
                    new ScheduleEngine.Settings("node", POLL, Duration.ofMinutes(1), patience));
            this.schedules = engine.schedules();
        }

        ScheduleView view() {
            return schedules.list().get(0);
        }

        RunState state(RunId id) {
            return runs.store().findRow(id).orElseThrow().state();
        }
    }

    record Settings(Map<String, Of> byName) implements ScheduleSettings {

        @Override
        public String resolve(String text) {
            return text;
        }

        @Override
        public String origin(String property) {
            return "";
        }

        @Override
        public Set<String> queues() {
            return Set.of();
        }

        @Override
        public List<Class<?>> annotated() {
            return List.of();
        }
    }

    /** Returns a store that calls {@link #beforeLook} before each search for due schedules. */
    private ScheduleStore slowed(ScheduleStore store) {
        return (ScheduleStore) Proxy.newProxyInstance(
                ScheduleStore.class.getClassLoader(),
                new Class<?>[] {ScheduleStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("look")) {
                        beforeLook.run();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                });
    }

    /** Lets an instant come, and lets more than two poll intervals pass after it. */
    static void comeAndPass() {
        jdbc.sql("UPDATE saga_schedule SET next_at = clock_timestamp()").update();
        Object unused = jdbc.sql("SELECT pg_sleep(:seconds)")
                .param("seconds", POLL.toMillis() * 2.2 / 1_000)
                .query()
                .listOfRows();
    }

    Node node() {
        return node(null, null, null);
    }

    Node node(@Nullable Missed missed, @Nullable Overlap overlap, @Nullable String fixedDelay) {
        return new Node(new Of(null, null, null, fixedDelay, missed, null, overlap, null, null));
    }

    /** The schedule fires at each full hour. A test that begins in the minute before it waits until it is over. */
    @BeforeEach
    void letTheFullHourPass() {
        Object unused = jdbc.sql("""
                SELECT CASE WHEN left_over < 60 THEN pg_sleep(left_over + 1) END
                FROM (SELECT (3600 - extract(epoch FROM clock_timestamp())::numeric % 3600)::float8 AS left_over) AS t""").query().listOfRows();
    }

    @BeforeEach
    void empty() {
        jdbc.sql("TRUNCATE saga_run, saga_step, saga_signal, saga_label, saga_schedule, saga_schedule_firing")
                .update();
    }

    @AfterEach
    void close() {
        gate.countDown();
        nodes.forEach(RunNode::close);
    }

    static Instant databaseTime() {
        return jdbc.sql("SELECT clock_timestamp()")
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    /** Sets and returns the next instant of the schedule. With a negative duration, this instant is already due. */
    static Instant next(Duration fromNow) {
        Instant next = databaseTime().plus(fromNow);
        jdbc.sql("UPDATE saga_schedule SET next_at = ?")
                .param(next.atOffset(ZoneOffset.UTC))
                .update();
        return next;
    }

    static long runs() {
        return jdbc.sql("SELECT count(*) FROM saga_run").query(Long.class).single();
    }

    RunId lastRun(Node node) {
        return Objects.requireNonNull(node.view().lastRun());
    }

    void awaitEnd(Node node, RunId run) {
        await().atMost(SOON).until(() -> node.state(run).isEnd());
    }
}
