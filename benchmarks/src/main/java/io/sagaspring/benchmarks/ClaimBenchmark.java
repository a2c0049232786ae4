package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Load.Setting;
import io.sagaspring.benchmarks.Load.Slice;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Measures the cost of a transition under a claim, compared with locks and with code written by hand. The contenders
 * take turns in short slices. Only slices of the same round are compared, so that other load on the machine affects all
 * of them alike.
 */
final class ClaimBenchmark {

    private static final int COUNTED = 50;
    private static final List<String> TABLES = List.of(
            NaiveLimit.TABLE,
            FairLimit.TABLE,
            HandWrittenHibernate.TABLE,
            UnderShedLock.TABLE,
            UnderLockRegistry.TABLE,
            Ours.TABLE);

    private ClaimBenchmark() {}

    enum Variant {
        NAIVE_LIMIT("L: two conditional updates"),
        FAIR_LIMIT("F2: the same guarantee, written by hand in JDBC"),
        HAND_WRITTEN("H: `@Version` by hand, in Hibernate"),
        SHEDLOCK("ShedLock 7.5 around one update"),
        LOCK_REGISTRY("`JdbcLockRegistry` 7.0 around one update"),
        OURS("`workflows.run(…)`");

        private final String description;

        Variant(String description) {
            this.description = description;
        }
    }

    /**
     * The length of a measurement.
     *
     * @param rounds the number of turns of each contender in each setting, after the warm-up
     * @param warmUp the number of turns of each contender in each setting, during the warm-up
     * @param slice the length of a turn
     */
    record Plan(int rounds, int warmUp, Duration slice) {

        static Plan of(int rounds) {
            // Each round has a slice in both settings.
            return new Plan(rounds, Rounds.FOR_THE_COMPILER / 2, Duration.ofMillis(500));
        }
    }

    /**
     * The traffic of one transition without competitors, and the round trips of an attempt that finds the entity
     * claimed by another caller.
     */
    record Traffic(double statements, double roundTrips, double writeCommits, double lostRoundTrips) {}

    /** The slices of one round, which can be compared with each other. */
    record Round(Map<Variant, Slice> slices) {

        Slice of(Variant variant) {
            return Objects.requireNonNull(slices.get(variant));
        }
    }

    /**
     * The results of all rounds.
     *
     * @param hits the number of transitions in the table of each contender, including the warm-up
     */
    record Results(Map<Setting, List<Round>> rounds, Map<Variant, Long> hits, Map<Variant, Traffic> traffic) {}

    public static void main(String[] args) throws IOException {
        print(measure(Plan.of(Rounds.givenOr(60))));
    }

    static Results measure(Plan plan) throws IOException {
        try (DurableDatabase database = DurableDatabase.open()) {
            JdbcClient beside = JdbcClient.create(database.dataSource());
            makeTables(beside);
            Map<Variant, Traffic> traffic;
            try (var context = ClaimApplication.open(database.urlWith(WireCounter.DRIVER_SETTING), 1)) {
                traffic = traffic(context, beside);
            }
            makeTables(beside);
            try (var context = ClaimApplication.open(database.url(), Load.CALLERS)) {
                return results(context, plan, database, traffic);
            }
        }
    }

    private static void makeTables(JdbcClient beside) {
        for (String table : TABLES) {
            beside.sql("""
                    DROP TABLE IF EXISTS %1$s;
                    CREATE TABLE %1$s (id bigint PRIMARY KEY, status varchar(20) NOT NULL, hits bigint NOT NULL,
                        version bigint NOT NULL) WITH (fillfactor = 50);
                    INSERT INTO %1$s SELECT id, 'HOME', 0, 0 FROM generate_series(0, %2$d - 1) AS id;
                    """.formatted(table, Load.BALLS)).update();
        }
        for (String own : List.of(FairLimit.LEDGER, UnderShedLock.LOCKS, UnderLockRegistry.LOCKS)) {
            beside.sql(own).update();
        }
    }

    private static Map<Variant, Traffic> traffic(ConfigurableApplicationContext context, JdbcClient beside) {
        Map<Variant, Traffic> traffic = new EnumMap<>(Variant.class);
        ClaimApplication.contenders(context).forEach((variant, contender) -> {
            // This first rally is not counted, because some contenders query the database's metadata on first use.
            rally(contender);
            long transactions = writeTransactions(beside);
            WireCounter.Counts before = WireCounter.sent();
            for (int pair = 0; pair < COUNTED; pair++) {
                rally(contender);
            }
            WireCounter.Counts sent = WireCounter.sent().minus(before);
            double strokes = 2.0 * COUNTED;
            double commits = (writeTransactions(beside) - transactions - 1) / strokes;
            contender.giveToAnother(0, beside);
            WireCounter.Counts beforeLoss = WireCounter.sent();
            for (int attempt = 0; attempt < COUNTED; attempt++) {
                if (contender.tryStroke(0, Ball.Stroke.SERVE)) {
                    throw new IllegalStateException(
                            "%s claimed an entity that another caller had claimed".formatted(variant));
                }
            }
            traffic.put(
                    variant,
                    new Traffic(
                            sent.statements() / strokes,
                            sent.roundTrips() / strokes,
                            commits,
                            (double) WireCounter.sent().minus(beforeLoss).roundTrips() / COUNTED));
        });
        return traffic;
    }

    private static void rally(Contender contender) {
        for (Ball.Stroke stroke : Ball.Stroke.values()) {
            if (!contender.tryStroke(0, stroke)) {
                throw new IllegalStateException("The transition in table %s failed, although there was no other caller"
                        .formatted(contender.table()));
            }
        }
    }

    /**
     * Returns the id of this query's own transaction. All other transactions with an id have written. So the difference
     * between the results of two calls, minus one, is the number of transactions that have written between these calls.
     */
    private static long writeTransactions(JdbcClient beside) {
        return beside.sql("SELECT pg_current_xact_id()::text::bigint")
                .query(Long.class)
                .single();
    }

    private static Results results(
            ConfigurableApplicationContext context,
            Plan plan,
            DurableDatabase database,
            Map<Variant, Traffic> traffic) {
        List<Load> loads = new ArrayList<>();
        ClaimApplication.contenders(context)
                .forEach((variant, contender) -> loads.add(new Load(variant, contender, database)));
        Map<Setting, List<Round>> rounds = new EnumMap<>(Setting.class);
        for (int round = -plan.warmUp(); round < plan.rounds(); round++) {
            for (Setting setting : Setting.values()) {
                Map<Variant, Slice> slices = new EnumMap<>(Variant.class);
                loads.forEach(load -> slices.put(load.variant(), load.during(setting, plan.slice())));
                if (round >= 0) {
                    rounds.computeIfAbsent(setting, any -> new ArrayList<>()).add(new Round(slices));
                }
            }
            // Change the order, so that the same contender is not always the first.
            Collections.rotate(loads, 1);
        }
        loads.forEach(Load::close);
        JdbcClient beside = JdbcClient.create(database.dataSource());
        Map<Variant, Long> hits = new EnumMap<>(Variant.class);
        loads.forEach(load -> hits.put(load.variant(), requireHits(load, beside)));
        return new Results(rounds, hits, traffic);
    }

    /** Verifies that each counted transition was made. Otherwise the figures would mean nothing. */
    private static long requireHits(Load load, JdbcClient beside) {
        String table = load.contender().table();
        long hits = beside.sql("SELECT sum(hits) FROM %s".formatted(table))
                .query(Long.class)
                .single();
        if (hits != load.strokes()) {
            throw new IllegalStateException("Table %s: the callers counted %d transitions, but the table shows %d"
                    .formatted(table, load.strokes(), hits));
        }
        return hits;
    }

    private static void print(Results results) {
        results.rounds().forEach((setting, rounds) -> {
            System.out.printf(
                    "%n%s. Medians of %d rounds, with the quartiles in brackets:%n%n",
                    setting.description, rounds.size());
            System.out.println(
                    "| contender | × L | × F2 | × H | p50 / p99 | CPU: client + database | WAL | lost attempts |");
            System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
            for (Variant variant : Variant.values()) {
                System.out.printf(
                        Locale.ROOT,
                        "| %s | %s | %s | %s | %.2f / %.2f ms | %.0f + %.0f µs | %.0f bytes | %.1f |%n",
                        variant.description,
                        ratio(rounds, variant, Variant.NAIVE_LIMIT),
                        ratio(rounds, variant, Variant.FAIR_LIMIT),
                        ratio(rounds, variant, Variant.HAND_WRITTEN),
                        quantile(nanos(rounds, variant), 0.5) / 1e6,
                        quantile(nanos(rounds, variant), 0.99) / 1e6,
                        perStroke(
                                rounds, variant, slice -> slice.spent().client().toNanos() / 1e3),
                        perStroke(
                                rounds,
                                variant,
                                slice -> slice.spent().database().toNanos() / 1e3),
                        perStroke(rounds, variant, slice -> slice.spent().log()),
                        perStroke(rounds, variant, Slice::lost));
            }
        });
        System.out.printf("%nTraffic of one transition, counted on the wire:%n%n");
        System.out.println("| contender | statements | round trips | write commits | round trips of a lost attempt |");
        System.out.println("| --- | --- | --- | --- | --- |");
        results.traffic()
                .forEach((variant, traffic) -> System.out.printf(
                        Locale.ROOT,
                        "| %s | %.1f | %.1f | %.1f | %.0f |%n",
                        variant.description,
                        traffic.statements(),
                        traffic.roundTrips(),
                        traffic.writeCommits(),
                        traffic.lostRoundTrips()));
    }

    private static String ratio(List<Round> rounds, Variant variant, Variant base) {
        if (variant == base) {
            return "1";
        }
        double[] one = of(rounds, variant, Slice::perSecond);
        double[] other = of(rounds, base, Slice::perSecond);
        double[] ratios = IntStream.range(0, one.length)
                .mapToDouble(round -> one[round] / other[round])
                .toArray();
        return String.format(
                Locale.ROOT, "%.2f (%.2f–%.2f)", quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
    }

    private static double[] of(List<Round> rounds, Variant variant, ToDoubleFunction<Slice> figure) {
        return rounds.stream()
                .map(round -> round.of(variant))
                .mapToDouble(figure)
                .toArray();
    }

    private static double perStroke(List<Round> rounds, Variant variant, ToDoubleFunction<Slice> figure) {
        return DoubleStream.of(of(rounds, variant, figure)).sum()
                / DoubleStream.of(of(rounds, variant, Slice::strokes)).sum();
    }

    private static double[] nanos(List<Round> rounds, Variant variant) {
        return rounds.stream()
                .flatMap(round -> round.of(variant).nanos().stream())
                .mapToDouble(Long::doubleValue)
                .toArray();
    }

    private static double quantile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.round(share * (sorted.length - 1))];
    }
}
