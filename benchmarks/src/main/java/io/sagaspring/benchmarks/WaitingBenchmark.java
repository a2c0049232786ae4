package io.sagaspring.benchmarks;

import io.sagaspring.autoconfigure.SagaAutoConfiguration;
import io.sagaspring.benchmarks.Contest.Setting;
import io.sagaspring.benchmarks.Contest.Work;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Measures the cost of many saga executions that wait for a callback. */
final class WaitingBenchmark {

    private static final int CALLERS = 16;
    private static final Duration SOON = Duration.ofSeconds(30);

    /** Inserts copies of one waiting execution, each with its journal and a correlation key. */
    private static final String COPIES = """
            WITH one AS (SELECT * FROM saga_run WHERE id = :id),
            copies AS (
                INSERT INTO saga_run (id, run, state, format, input, token, due_at, journaled, started_at)
                SELECT gen_random_uuid(), run, state, format, input, token, NULL, journaled, started_at
                FROM one, generate_series(1, :count) RETURNING id),
            journals AS (
                INSERT INTO saga_step (run_id, position, step, call, mark, format, payload, detail, until, token, at)
                SELECT copies.id, position, step, call, mark, format, payload, detail, until, token, at
                FROM copies, saga_step WHERE run_id = :id)
            INSERT INTO saga_signal (run_id, name, signal_key, format, payload, at)
            SELECT copies.id, name, copies.id::text, format, payload, at FROM copies, saga_signal WHERE run_id = :id""";

    private WaitingBenchmark() {}

    enum Variant {
        NONE("nobody waits"),
        MANY("many executions wait");

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
     * The resources that waiting executions hold, and the speed of further executions with and without them.
     *
     * @param threads the number of additional threads
     * @param connections the number of connections in use
     * @param results the speed of further executions, with and without waiting executions
     */
    record Waiting(int threads, int connections, Results<Variant> results) {}

    static final class Delivery implements Saga<String> {
        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("order", context -> "ordered").compensate(context -> {});
            saga.step("ship", context -> {
                        context.correlate(context.input());
                        return null;
                    })
                    .async();
            saga.step("bill", context -> "billed");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(OurFlows.Application.class)
    @ImportAutoConfiguration(SagaAutoConfiguration.class)
    static class DeliveryApplication {

        @Bean
        Delivery delivery() {
            return new Delivery();
        }
    }

    public static void main(String[] args) throws IOException {
        Waiting waiting = waiting(100_000, 200, 40, 10, Duration.ofMillis(500));
        System.out.println("A saga with a callback, from start to end, while 100,000 other sagas wait.");
        waiting.results().print(List.of(Variant.NONE));
        System.out.printf(
                Locale.ROOT,
                "The waiting sagas hold %d threads and %d connections.%n",
                waiting.threads(),
                waiting.connections());
    }

    static Waiting waiting(int count, int few, int rounds, int warmUp, Duration slice) throws IOException {
        try (DurableDatabase database = DurableDatabase.open();
                var none = open(database, "nobody_waits");
                var many = open(database, "many_wait")) {
            Sagas sagas = many.getBean(Sagas.class);
            for (int number = 0; number < few; number++) {
                deliver(none.getBean(Sagas.class), "warm-up-" + number);
                deliver(sagas, "warm-up-" + number);
            }
            int threads = threads();
            JdbcClient client =
                    JdbcClient.create(new DriverManagerDataSource(database.urlWith("currentSchema=many_wait")));
            client.sql(COPIES)
                    .param("id", waiting(sagas).value())
                    .param("count", count)
                    .update();
            settle(database, "many_wait");
            settle(database, "nobody_waits");
            int more = threads() - threads;
            int connections = inUse(client);
            Map<Variant, Work> contenders = new EnumMap<>(Variant.class);
            contenders.put(Variant.NONE, number -> deliver(none.getBean(Sagas.class), "none-" + number));
            contenders.put(Variant.MANY, number -> deliver(sagas, "many-" + number));
            return new Waiting(
                    more,
                    connections,
                    new Results<>(
                            Map.of(
                                    new Setting(CALLERS, Duration.ZERO),
                                    new Contest<>(contenders, database).rounds(CALLERS, rounds, warmUp, slice)),
                            Map.of()));
        }
    }

    private static RunId waiting(Sagas sagas) {
        RunId id = sagas.start(Delivery.class, "the delivery whose execution is copied")
                .id();
        while (sagas.find(id).orElseThrow().state() != RunState.WAITING) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
        return id;
    }

    /** Does the maintenance that the server would otherwise do at some time during the measurement. */
    private static void settle(DurableDatabase database, String schema) {
        JdbcClient client = JdbcClient.create(new DriverManagerDataSource(database.urlWith("currentSchema=" + schema)));
        client.sql("VACUUM (ANALYZE) saga_run, saga_step, saga_signal").update();
        client.sql("CHECKPOINT").update();
    }

    private static int inUse(JdbcClient client) {
        return client.sql("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()")
                .query(Integer.class)
                .single();
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    private static void deliver(Sagas sagas, String order) {
        try {
            RunId id = sagas.start(Delivery.class, order).id();
            // A callback is accepted even if it arrives before its step waits for it.
            boolean applied = sagas.callback(id, "ship").complete("there").applied();
            RunState state = sagas.await(id, SOON).state();
            if (!applied || state != RunState.COMPLETED) {
                throw new IllegalStateException("The execution is " + state);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    private static ConfigurableApplicationContext open(DurableDatabase database, String schema) {
        JdbcClient.create(database.dataSource())
                .sql("DROP SCHEMA IF EXISTS %1$s CASCADE; CREATE SCHEMA %1$s".formatted(schema))
                .update();
        return new SpringApplicationBuilder(DeliveryApplication.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + database.urlWith("currentSchema=" + schema),
                        "spring.datasource.hikari.maximum-pool-size=" + CALLERS,
                        "saga.runs.concurrency=" + CALLERS,
                        "saga.sagas.callback-keys=${random.uuid}",
                        "spring.main.banner-mode=off")
                .run();
    }
}
