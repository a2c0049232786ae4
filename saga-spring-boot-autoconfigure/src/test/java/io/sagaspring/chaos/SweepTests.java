package io.sagaspring.chaos;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.janitor.ClaimRecovered;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.shop.Interference.Around;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests sweeps over many crates, and the search for due work. */
class SweepTests {

    private static final int STUCK = 10_000;

    /** After its first sweep, a depot sweeps only if a test calls the sweep. */
    private static final String[] SETTINGS = {"saga.janitor.interval=1h", "saga.due.poll-interval=1h"};

    private final TestDatabase database = Depot.database();
    private final JdbcClient client = JdbcClient.create(database.dataSource());
    private final Journal journal = Journal.create();

    @AfterEach
    void close() {
        database.close();
        journal.delete();
    }

    @Test
    @Tag("chaos")
    void twoConcurrentSweepsRevertEachClaimOnce() throws Exception {
        try (Depot one = Depot.open(database, journal, "one", SETTINGS);
                Depot other = Depot.open(database, journal, "other", SETTINGS)) {
            awaitFirstSweeps(one, other);
            client.sql("INSERT INTO crate (status, note, version) SELECT 'HAULED', '', 1 FROM generate_series(1, ?)")
                    .param(STUCK)
                    .update();
            claim("crate", Duration.ofHours(1));
            long begun = System.nanoTime();

            CompletableFuture<Integer> first = OwnThread.call(sweep(one)::run);
            CompletableFuture<Integer> second = OwnThread.call(sweep(other)::run);
            first.get(120, SECONDS);
            second.get(120, SECONDS);

            List<String> freed = Stream.of(one, other)
                    .flatMap(depot -> depot.recovered().stream())
                    .map(ClaimRecovered::id)
                    .toList();
            System.out.printf(
                    Locale.ROOT,
                    "%d stuck crates freed in %d ms: %d by one, %d by the other; locked were %d and %d%n",
                    STUCK,
                    Duration.ofNanos(System.nanoTime() - begun).toMillis(),
                    one.recovered().size(),
                    other.recovered().size(),
                    one.blocked(),
                    other.blocked());
            assertThat(freed).hasSize(STUCK);
            assertThat(new HashSet<>(freed)).hasSize(STUCK);
            assertThat(client.sql("SELECT count(*) FROM crate WHERE status = 'HOME' AND version = 2")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(STUCK);
            assertThat(Inspection.isQuiet(client)).isTrue();
        }
    }

    @Test
    @Tag("chaos")
    void aSweepThatFindsNothingAmongAMillionEntitiesNeedsOneIndexScan() throws Exception {
        client.sql("INSERT INTO crate (status, note, version) SELECT 'HOME', '', 0 FROM generate_series(1, 1000000)")
                .update();
        // These crates are claimed, but none is stuck. The ledger is so large that using an index pays off.
        client.sql("UPDATE crate SET status = 'HAULED' WHERE id <= 20000").update();
        claim("crate", Duration.ZERO);
        client.sql("ANALYZE crate, saga_claim").update();
        try (Depot depot = Depot.open(database, journal, "alone", and("saga.janitor.stuck-after=1h"))) {
            awaitFirstSweeps(depot);
            List<String> statements = new CopyOnWriteArrayList<>();
            depot.interference().with(recorder(statements));
            long begun = System.nanoTime();

            assertThat(sweep(depot).run()).isZero();

            System.out.printf(Locale.ROOT, "A sweep of nothing took %d us%n", (System.nanoTime() - begun) / 1_000);
            depot.interference().none();
            // The first statement reads the few rows of what is paused.
            assertThat(statements).hasSize(2);
            assertThat(statements.get(0)).contains("saga:pause.list");
            assertThat(statements.get(1)).matches(EngineStatement.SEARCH_FOR_STUCK::is);
            assertThat(plan(
                            statements.get(1),
                            Duration.ofHours(1).toMillis(),
                            new String[] {"crate", "crate", "crate"},
                            new String[] {"LEAVING", "HAULED", "RETURNING"},
                            new Long[0],
                            500))
                    .contains("Index Scan using saga_claim_alive", "Index Cond: (alive_at <")
                    .doesNotContain("Seq Scan", "Sort");
        }
    }

    @Test
    @Tag("chaos")
    void dueWorkIsFoundByAnIndexAmongWorkThatIsNotYetDue() {
        client.sql("""
                INSERT INTO saga_due (queue, work_key, payload, due_at)
                SELECT 'q', i::text, '', clock_timestamp() + INTERVAL '1 day' FROM generate_series(1, 100000) AS i""").update();
        client.sql("ANALYZE saga_due").update();
        List<String> statements = new CopyOnWriteArrayList<>();
        try (Depot depot =
                Depot.open(database, journal, "alone", recorder(statements), "saga.due.poll-interval=20ms")) {
            await().atMost(20, SECONDS).until(() -> statements.stream().anyMatch(EngineStatement.DUE_LOOK::is));
            assertThat(statements).noneMatch(EngineStatement.DUE_PICK_UP::is);
            client.sql("INSERT INTO crate (id, status, note, version) VALUES (1, 'HOME', '', 0)")
                    .update();
            assertThat(depot.run("ship", 1)).isInstanceOf(TransitionOutcome.Completed.class);
            await().atMost(20, SECONDS).until(() -> statements.stream().anyMatch(EngineStatement.DUE_PICK_UP::is));
            depot.interference().none();
        }
        assertThat(List.of(
                        plan(first(statements, EngineStatement.DUE_LOOK), new String[] {"q"}, 20),
                        plan(
                                first(statements, EngineStatement.DUE_PICK_UP),
                                new String[] {"q"},
                                "node",
                                10,
                                1_000,
                                10)))
                .allSatisfy(plan -> assertThat(plan)
                        .contains("using saga_due_due", "Index Cond: (due_at <=")
                        .doesNotContain("Seq Scan on saga_due", "Sort"));
    }

    private static String first(List<String> statements, EngineStatement sought) {
        return statements.stream().filter(sought::is).findFirst().orElseThrow();
    }

    @Test
    void aBlockingTransactionYoungerThanStuckAfterIsNotTerminated() throws Exception {
        String[] patient = and("saga.janitor.terminate-blockers=true", "saga.janitor.stuck-after=10m");
        try (Depot depot = Depot.open(database, journal, "alone", patient);
                Connection younger = database.dataSource().getConnection();
                Statement statement = younger.createStatement()) {
            awaitFirstSweeps(depot);
            client.sql("INSERT INTO crate (status, note, version) VALUES ('HAULED', '', 1)")
                    .update();
            claim("crate", Duration.ofHours(1));
            younger.setAutoCommit(false);
            statement.execute("UPDATE crate SET note = 'kept'");

            assertThat(sweep(depot).run()).isZero();

            assertThat(depot.blocked()).isOne();
            younger.commit();
            assertThat(sweep(depot).run()).isOne();
            assertThat(client.sql("SELECT status || note FROM crate")
                            .query(String.class)
                            .single())
                    .isEqualTo("HOMEkept");
        }
    }

    private static String[] and(String... settings) {
        return Stream.concat(Stream.of(SETTINGS), Stream.of(settings)).toArray(String[]::new);
    }

    private static Around recorder(List<String> statements) {
        return new Around() {
            @Override
            public void before(String sql, Connection connection) {
                statements.add(sql);
            }
        };
    }

    /**
     * Returns the plan of a statement that the engine has sent, without a setting that precedes it in the same message.
     * The parameters are in the order of their placeholders.
     */
    private String plan(String sql, Object... parameters) {
        return String.join(
                "\n",
                client.sql("EXPLAIN " + sql.substring(sql.lastIndexOf(';') + 1))
                        .params(parameters)
                        .query(String.class)
                        .list());
    }

    /** Adds ledger rows for all crates in the claim state, as if their owners had been silent for the given time. */
    private void claim(String entity, Duration silent) {
        client.sql("""
                INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                    attempt, token, claimed_at, alive_at)
                SELECT ?, id::text, 'crate', 'depot', status, 'HOME', 'admin', 'gone', gen_random_uuid(),
                    nextval('saga_token'), s.since, s.since
                FROM crate, (SELECT clock_timestamp() - ? * INTERVAL '1 millisecond' AS since) AS s
                WHERE status = 'HAULED'""").params(entity, silent.toMillis()).update();
    }

    private static void awaitFirstSweeps(Depot... depots) {
        for (Depot depot : depots) {
            await().atMost(20, SECONDS).until(() -> sweep(depot).lag() != null);
        }
    }

    private static Sweep sweep(Depot depot) {
        return depot.bean(JanitorRegistry.class).sweeps().iterator().next();
    }
}
