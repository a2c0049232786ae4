package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.run.Runs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Measures runs beside many ended runs, runs during a purge, and how much the tables grow. */
final class HistoryBenchmark {

    private static final int CALLERS = 16;

    /** The number of callers while the tables grow. More callers fill the tables faster. */
    private static final int GROWING = 128;

    /** Ended runs of this age are purged, because they are older than the default of {@code saga.runs.retention}. */
    private static final int OLD = 40;

    private static final int RECENT = 1;

    /** The number of slices at the beginning and at the end that are compared. */
    private static final int COMPARED = 3;

    private HistoryBenchmark() {}

    enum Variant {
        EMPTY("no ended runs"),
        FULL("many ended runs");

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
     * The measurement of a purge.
     *
     * @param before the number of runs that the callers completed per second before the purge
     * @param meanwhile the same during the purge
     * @param purged the number of runs that the purge removed per second
     */
    record Purged(double before, double meanwhile, double purged) {}

    /**
     * The measurement of tables that grow.
     *
     * @param first the number of runs per second at the beginning
     * @param last the number of runs per second at the end
     * @param size the size of the tables and their indexes, in bytes for each run
     * @param compact the same after the tables have been rewritten
     */
    record Grown(double first, double last, double size, double compact) {}

    public static void main(String[] args) throws IOException {
        int rounds = Rounds.givenOr(20);
        for (int ended : List.of(1_000_000, 10_000_000)) {
            System.out.printf(Locale.ROOT, "%nRuns of three steps, beside %,d ended runs:%n", ended);
            beside(ended, rounds, Math.min(rounds, 10), Duration.ofMillis(500)).print(List.of(Variant.EMPTY));
        }
        Purged purged = purged(1_000_000, Duration.ofSeconds(5));
        System.out.printf(
                Locale.ROOT,
                "%nA purge removes %.0f runs/s. Meanwhile, runs complete %.2f times as fast as before.%n",
                purged.purged(),
                purged.meanwhile() / purged.before());
        Grown grown = grown(2_500_000, Duration.ofSeconds(20));
        System.out.printf(
                Locale.ROOT,
                "After 2.5 million runs, runs complete %.2f times as fast as at the beginning. A run takes %.0f bytes, and %.0f bytes after the tables have been rewritten.%n",
                grown.last() / grown.first(),
                grown.size(),
                grown.compact());
    }

    /** Compares runs in an application without ended runs with runs in one with many of them. */
    static Results<Variant> beside(int ended, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open();
                var empty = open(database, "no_history");
                var full = open(database, "history")) {
            for (ConfigurableApplicationContext each : List.of(empty, full)) {
                OurFlows.run(each.getBean(Runs.class), OurFlows.PAYLOAD);
            }
            new EndedRuns(database, "no_history").settle();
            new EndedRuns(database, "history").add(RECENT, ended);
            Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
            contenders.put(Variant.EMPTY, number -> OurFlows.run(empty.getBean(Runs.class), OurFlows.PAYLOAD));
            contenders.put(Variant.FULL, number -> OurFlows.run(full.getBean(Runs.class), OurFlows.PAYLOAD));
            return new Results<>(
                    Map.of(
                            new Setting(CALLERS, Duration.ZERO),
                            new Contest<>(contenders, database).rounds(CALLERS, rounds, warmUp, slice)),
                    Map.of());
        }
    }

    /** Measures runs before and during a purge. A second node purges, while the callers use the first one. */
    @SuppressWarnings("try") // The second node only has to be open.
    static Purged purged(int ended, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open();
                var application = open(database, "history")) {
            Runs runs = application.getBean(Runs.class);
            OurFlows.run(runs, OurFlows.PAYLOAD);
            EndedRuns history = new EndedRuns(database, "history");
            history.add(OLD, ended);
            rates(runs, database, slice, done -> false);
            double before = rates(runs, database, slice, done -> false).get(0);
            try (var purging = open(database, "history", "saga.runs.purge-interval=1s", "saga.runs.concurrency=0")) {
                long begun = System.nanoTime();
                CompletableFuture<Long> end = CompletableFuture.supplyAsync(() -> endOfPurge(history));
                List<Double> rates = rates(runs, database, slice, done -> !end.isDone());
                // The purge has ended at some time in the last slice.
                double meanwhile = average(rates.subList(0, Math.max(1, rates.size() - 1)));
                return new Purged(before, meanwhile, ended * 1e9 / (end.join() - begun));
            }
        }
    }

    private static long endOfPurge(EndedRuns history) {
        while (history.hasOlderThan(OLD)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        return System.nanoTime();
    }

    private static double average(List<Double> rates) {
        return rates.stream().mapToDouble(rate -> rate).average().orElseThrow();
    }

    /** Measures the tables of an application while it completes a number of runs. The server vacuums as it does by default. */
    static Grown grown(int count, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open();
                var application = open(database, "growing", "saga.runs.concurrency=" + GROWING)) {
            Runs runs = application.getBean(Runs.class);
            JdbcClient client =
                    JdbcClient.create(new DriverManagerDataSource(database.urlWith("currentSchema=growing")));
            rates(GROWING, runs, database, slice, done -> false);
            List<Double> rates = rates(GROWING, runs, database, slice, done -> done < count);
            long all = new EndedRuns(database, "growing").count();
            double size = (double) size(client) / all;
            for (String table : List.of("saga_run", "saga_step")) {
                client.sql("VACUUM (FULL) " + table).update();
            }
            int compared = Math.min(COMPARED, rates.size());
            return new Grown(
                    average(rates.subList(0, compared)),
                    average(rates.subList(rates.size() - compared, rates.size())),
                    size,
                    (double) size(client) / all);
        }
    }

    private static long size(JdbcClient client) {
        return client.sql("SELECT pg_total_relation_size('saga_run') + pg_total_relation_size('saga_step')")
                .query(Long.class)
                .single();
    }

    /**
     * Returns the number of runs that the callers complete per second, slice by slice.
     *
     * @param more the condition for another slice, given the number of runs so far
     */
    private static List<Double> rates(Runs runs, DurableDatabase database, Duration slice, LongPredicate more) {
        return rates(CALLERS, runs, database, slice, more);
    }

    private static List<Double> rates(
            int callers, Runs runs, DurableDatabase database, Duration slice, LongPredicate more) {
        Map<Variant, Work> one = new EnumMap<>(Map.of(Variant.FULL, number -> OurFlows.run(runs, OurFlows.PAYLOAD)));
        Contest<Variant> contest = new Contest<>(one, database);
        List<Double> rates = new ArrayList<>();
        long done = 0;
        do {
            Turn turn = contest.alone(callers, slice);
            rates.add(turn.perSecond());
            done += turn.done();
        } while (more.test(done));
        return rates;
    }

    private static ConfigurableApplicationContext open(DurableDatabase database, String schema, String... more) {
        JdbcClient.create(database.dataSource())
                .sql("CREATE SCHEMA IF NOT EXISTS " + schema)
                .update();
        return OurFlows.open(database.urlWith("currentSchema=" + schema), CALLERS, CALLERS, more);
    }
}
