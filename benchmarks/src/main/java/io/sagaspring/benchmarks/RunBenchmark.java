package io.sagaspring.benchmarks;

import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Measures a run of three steps, including the wait for its end. Each result is durable before the next step. */
final class RunBenchmark {

    private RunBenchmark() {}

    enum Variant {
        NAIVE("L"),
        FOLDED("F"),
        GROUPED("G"),
        RUN("`runs.start(…).await(…)`"),
        EXECUTE("`runs.execute(…)`"),
        RUN_SEPARATE("`runs.start(…).await(…)`, `saga.runs.group-commit=false`"),
        SAGA("`sagas.start(…)`, `sagas.await(…)`"),
        DBOS("DBOS"),
        DB_SCHEDULER("db-scheduler"),
        FLOWABLE("Flowable"),
        JOBRUNR("JobRunr"),
        MODULITH("Spring Modulith");

        private final String description;

        Variant(String description) {
            this.description = description;
        }

        Flows open(Ground ground) {
            return switch (this) {
                case NAIVE -> new NaiveFlows(ground);
                case FOLDED -> new FoldedFlows(ground);
                case GROUPED -> new GroupedFlows(ground);
                case RUN -> new OurFlows(ground);
                case EXECUTE -> OurFlows.executing(ground);
                case RUN_SEPARATE -> new OurFlows(ground, "saga.runs.group-commit=false");
                case SAGA -> new SagaFlows(ground);
                case DBOS -> new DbosFlows(ground);
                case DB_SCHEDULER -> new DbSchedulerFlows(ground);
                case FLOWABLE -> new FlowableFlows(ground);
                case JOBRUNR -> new JobRunrFlows(ground);
                case MODULITH -> new ModulithFlows(ground);
            };
        }

        @Override
        public String toString() {
            return description;
        }
    }

    /**
     * The settings and the length of a measurement.
     *
     * @param settings the settings in which every contender is measured
     * @param connections the number of connections of each contender
     * @param rounds the number of turns of each contender in each setting, after the warm-up
     * @param warmUp the number of turns of each contender in each setting, during the warm-up
     * @param slice the length of a turn
     */
    record Plan(List<Setting> settings, int connections, int rounds, int warmUp, Duration slice) {}

    public static void main(String[] args) throws IOException {
        Set<Variant> variants = named(System.getProperty("benchmark.contenders", ""));
        int rounds = Rounds.givenOr(20);
        Duration slice = Duration.ofMillis(500);
        Results<Variant> unused = measure(
                variants, new Plan(List.of(new Setting(16, Duration.ZERO)), 16, Rounds.FOR_THE_COMPILER, 0, slice));
        System.out.println("One flow of three steps.");
        measure(variants, new Plan(Setting.of(1, 16, 128), 16, rounds, Math.min(rounds, 10), slice))
                .print(List.copyOf(variants));
    }

    private static Set<Variant> named(String names) {
        if (names.isBlank()) {
            return EnumSet.allOf(Variant.class);
        }
        List<Variant> variants = Arrays.stream(names.split(",", -1))
                .map(String::strip)
                .map(Variant::valueOf)
                .toList();
        return EnumSet.copyOf(variants);
    }

    static Results<Variant> measure(Set<Variant> variants, Plan plan) throws IOException {
        Map<Setting, List<Map<Variant, Turn>>> measured = new LinkedHashMap<>();
        Map<Setting, Map<Variant, Turn>> counted = new LinkedHashMap<>();
        try (DurableDatabase database = DurableDatabase.open()) {
            for (Setting setting : plan.settings()) {
                counted.put(setting, counted(database, variants, setting, plan));
                measured.put(setting, measured(database, variants, setting, plan));
            }
        }
        return new Results<>(measured, counted);
    }

    /**
     * Counts the traffic of each contender while no other contender is open. The counter counts the messages of the
     * whole process, and even a contender that has no flow sends messages.
     */
    private static Map<Variant, Turn> counted(
            DurableDatabase database, Set<Variant> variants, Setting setting, Plan plan) {
        Map<Variant, Turn> counted = new EnumMap<>(Variant.class);
        for (Variant variant : variants) {
            String driverSetting = WireCounter.DRIVER_SETTING + "&" + setting.driverSetting();
            try (Field field = new Field(database, setting, driverSetting, plan.connections())) {
                field.enter(variant);
                counted.putAll(field.contest().counted(setting.callers(), plan.slice()));
                field.requireAllOver();
            }
        }
        return counted;
    }

    private static List<Map<Variant, Turn>> measured(
            DurableDatabase database, Set<Variant> variants, Setting setting, Plan plan) {
        try (Field field = new Field(database, setting, setting.driverSetting(), plan.connections())) {
            variants.forEach(field::enter);
            Contest<Variant> contest = field.contest();
            contest.rounds(setting.callers(), plan.warmUp(), 0, plan.slice());
            // Without this statement, the server would analyze the tables of each contender at some time during the
            // rounds.
            JdbcClient.create(database.dataSource()).sql("ANALYZE").update();
            List<Map<Variant, Turn>> turns = contest.rounds(setting.callers(), plan.rounds(), 0, plan.slice());
            field.requireAllOver();
            return turns;
        }
    }

    /** The contenders that are open at the same time and take turns. */
    private static final class Field implements AutoCloseable {

        private final DurableDatabase database;
        private final Setting setting;
        private final String driverSetting;
        private final int connections;
        private final Map<Variant, Flows> flows = new EnumMap<>(Variant.class);
        private final Map<Variant, AtomicLong> done = new EnumMap<>(Variant.class);

        Field(DurableDatabase database, Setting setting, String driverSetting, int connections) {
            this.database = database;
            this.setting = setting;
            this.driverSetting = driverSetting;
            this.connections = connections;
        }

        void enter(Variant variant) {
            String schema = "flows_" + variant.name().toLowerCase(Locale.ROOT);
            Ground ground = new Ground(database, schema, driverSetting, setting.callers(), connections);
            flows.put(variant, variant.open(ground.emptied()));
            done.put(variant, new AtomicLong());
        }

        Contest<Variant> contest() {
            Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
            flows.forEach((variant, each) -> {
                AtomicLong count = Objects.requireNonNull(done.get(variant));
                contenders.put(variant, number -> {
                    if (!OurFlows.PAYLOAD.equals(each.run(OurFlows.PAYLOAD))) {
                        throw new IllegalStateException(
                                "Variant %s did not return the expected result".formatted(variant));
                    }
                    count.incrementAndGet();
                });
            });
            return new Contest<>(contenders, database);
        }

        /** Verifies that each counted flow has ended. Otherwise the figures would mean nothing. */
        void requireAllOver() {
            flows.forEach((variant, each) -> {
                long counted = Objects.requireNonNull(done.get(variant)).get();
                long over = each.over();
                if (over != counted) {
                    throw new IllegalStateException(
                            "%s: the callers counted %d flows, but %d have ended".formatted(variant, counted, over));
                }
            });
        }

        @Override
        public void close() {
            flows.values().forEach(Flows::close);
        }
    }
}
