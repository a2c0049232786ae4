package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.run.Runs;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Measures the cost of many waiting runs, of many runs due at once, and of an idle node. */
final class BacklogBenchmark {

    private static final int CALLERS = 16;

    /** Inserts copies of an existing run. Each copy has the input of that run, so that the run's code can read it. */
    private static final String COPIES = """
            INSERT INTO saga_run (id, run, state, format, input, token, due_at, started_at)
            SELECT gen_random_uuid(), coalesce(:run, run), :state, format, input, CASE :state WHEN 'waiting' THEN 1 END, clock_timestamp() + :days * INTERVAL '1 day', clock_timestamp()
            FROM generate_series(1, :count), (SELECT run, format, input FROM saga_run LIMIT 1) AS one""";

    private BacklogBenchmark() {}

    enum Variant {
        EMPTY("nothing waits"),
        PARKED("many runs wait"),
        UNKNOWN("many due runs have an unknown name");

        private final String description;

        Variant(String description) {
            this.description = description;
        }

        @Override
        public String toString() {
            return description;
        }
    }

    /**
     * The throughput when many runs are due at once.
     *
     * @param drained the number of due runs completed per second
     * @param steady the number of runs that 16 callers start and await per second: the mean of the rates before and
     *     after the due runs are executed
     */
    record Drained(double drained, double steady) {

        double ratio() {
            return drained / steady;
        }
    }

    /**
     * The load of an idle node.
     *
     * @param statements the number of statements that the node sends per second
     * @param processor the share of a core that the node's process uses
     * @param server the share of a core that the database server uses
     */
    record Idle(double statements, double processor, double server) {}

    public static void main(String[] args) throws IOException {
        for (int waiting : List.of(10_000, 100_000, 1_000_000)) {
            System.out.printf(Locale.ROOT, "%nRuns of three steps, while %,d other runs wait:%n", waiting);
            beside(Variant.PARKED, waiting, 40, 10, Duration.ofMillis(500)).print(List.of(Variant.EMPTY));
        }
        System.out.printf("%nRuns of three steps, while 100,000 runs of unknown names are due:%n");
        beside(Variant.UNKNOWN, 100_000, 40, 10, Duration.ofMillis(500)).print(List.of(Variant.EMPTY));
        List<Drained> drained = drained(100_000, 3, Duration.ofSeconds(5));
        drained.forEach(each -> System.out.printf(
                Locale.ROOT,
                "100,000 runs that are due complete at %.0f/s. Runs that 16 callers await complete at %.0f/s. Ratio: %.2f%n",
                each.drained(),
                each.steady(),
                each.ratio()));
        for (String poll : List.of("1h", "500ms")) {
            Idle idle = idle(poll, Duration.ofSeconds(20), Duration.ofSeconds(60));
            System.out.printf(
                    Locale.ROOT,
                    "Idle node, polling every %s: %.2f statements/s, node %.3f %% of a core, server %.3f %% of a core%n",
                    poll,
                    idle.statements(),
                    idle.processor() * 100,
                    idle.server() * 100);
        }
    }

    /** Compares runs beside runs that sleep, or beside due runs whose name this node does not know, with runs alone. */
    static Results<Variant> beside(Variant variant, int others, int rounds, int warmUp, Duration slice)
            throws IOException {
        try (DurableDatabase database = DurableDatabase.open();
                var empty = open(database, "nothing_waits");
                var full = open(database, "many_wait")) {
            Backlog backlog = Backlog.of(database, "many_wait");
            for (ConfigurableApplicationContext each : List.of(empty, full)) {
                OurFlows.run(each.getBean(Runs.class), OurFlows.PAYLOAD);
            }
            if (variant == Variant.PARKED) {
                backlog.add(null, "waiting", 30, others);
            } else {
                backlog.add("of-another-application", "pending", -1, others);
            }
            backlog.settle();
            Backlog.of(database, "nothing_waits").settle();
            Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
            contenders.put(Variant.EMPTY, number -> OurFlows.run(empty.getBean(Runs.class), OurFlows.PAYLOAD));
            contenders.put(variant, number -> OurFlows.run(full.getBean(Runs.class), OurFlows.PAYLOAD));
            return new Results<>(
                    Map.of(
                            new Setting(CALLERS, Duration.ZERO),
                            new Contest<>(contenders, database).rounds(CALLERS, rounds, warmUp, slice)),
                    Map.of());
        }
    }

    static List<Drained> drained(int due, int rounds, Duration slice) throws IOException {
        List<Drained> measured = new ArrayList<>();
        try (DurableDatabase database = DurableDatabase.open();
                var application = open(database, "all_due")) {
            Runs runs = application.getBean(Runs.class);
            Backlog backlog = Backlog.of(database, "all_due");
            // The first round is a warm-up and is not counted.
            for (int round = -1; round < rounds; round++) {
                double before = steady(runs, database, slice);
                backlog.add(null, "pending", 0, due);
                long begun = System.nanoTime();
                while (backlog.isAnyDue()) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                }
                double drained = due * 1e9 / (System.nanoTime() - begun);
                double after = steady(runs, database, slice);
                if (round >= 0) {
                    measured.add(new Drained(drained, (before + after) / 2));
                }
            }
        }
        return measured;
    }

    private static double steady(Runs runs, DurableDatabase database, Duration slice) {
        Map<Variant, Work> one = new EnumMap<>(Map.of(Variant.EMPTY, number -> OurFlows.run(runs, OurFlows.PAYLOAD)));
        return new Contest<>(one, database).alone(CALLERS, slice).perSecond();
    }

    static Idle idle(String poll, Duration warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open();
                var application = OurFlows.open(
                        database.urlWith(WireCounter.DRIVER_SETTING),
                        CALLERS,
                        CALLERS,
                        "saga.runs.poll-interval=" + poll)) {
            OurFlows.run(application.getBean(Runs.class), OurFlows.PAYLOAD);
            LockSupport.parkNanos(warmUp.toNanos());
            WireCounter.Counts sent = WireCounter.sent();
            long computed = computed();
            Duration served = database.cpu();
            LockSupport.parkNanos(slice.toNanos());
            return new Idle(
                    WireCounter.sent().minus(sent).statements() * 1e9 / slice.toNanos(),
                    (double) (computed() - computed) / slice.toNanos(),
                    (double) database.cpu().minus(served).toNanos() / slice.toNanos());
        }
    }

    private static long computed() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static ConfigurableApplicationContext open(DurableDatabase database, String schema) {
        JdbcClient.create(database.dataSource())
                .sql("DROP SCHEMA IF EXISTS %1$s CASCADE; CREATE SCHEMA %1$s".formatted(schema))
                .update();
        return OurFlows.open(database.urlWith("currentSchema=" + schema), CALLERS, CALLERS);
    }

    /** Adds runs to the tables of one application. The client takes no connection from the application's pool. */
    private record Backlog(JdbcClient client) {

        static Backlog of(DurableDatabase database, String schema) {
            return new Backlog(
                    JdbcClient.create(new DriverManagerDataSource(database.urlWith("currentSchema=" + schema))));
        }

        void add(@Nullable String run, String state, int days, int count) {
            client.sql(COPIES)
                    .param("run", run, Types.VARCHAR)
                    .param("state", state)
                    .param("days", days)
                    .param("count", count)
                    .update();
        }

        /** Does the maintenance that the server would otherwise do at some time during the measurement. */
        void settle() {
            client.sql("VACUUM (ANALYZE) saga_run").update();
            client.sql("CHECKPOINT").update();
        }

        boolean isAnyDue() {
            return client.sql("SELECT EXISTS (SELECT FROM saga_run WHERE due_at IS NOT NULL)")
                    .query(Boolean.class)
                    .single();
        }
    }
}
