package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that lists and counts of runs use an index and read few rows that they do not return. */
class RunListsPlanTests {

    private static final int RUNS = 20_000;
    private static final int SHOWN = 10;
    private static final int MOST = 5_000;

    /** The actual rows and the loops of a node of a plan. */
    private static final Pattern ROWS = Pattern.compile("actual rows=([0-9.]+) loops=([0-9]+)");

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.verify(connections, null);
    private static final RunLists lists = new RunLists(schema);
    private static final RunSelections selections = new RunSelections(schema, "*");

    /**
     * Inserts runs, nearly all of which have been waiting for a day. A few runs in each of the other states are scattered among
     * them.
     */
    @BeforeAll
    static void fill() {
        JdbcClient jdbc = JdbcClient.create(connections);
        jdbc.sql("""
                INSERT INTO saga_run (id, run, start_key, tenant, state, format, input, started_at, since, due_at, ended_at, compensating)
                SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, 'many', 'key-' || n,
                    CASE WHEN n %% 100 = 7 THEN 'a' END, state, 'f', '',
                    at, at, CASE WHEN state IN ('pending', 'running') THEN at END,
                    CASE WHEN state IN ('completed', 'failed', 'cancelled') THEN at END, state = 'waiting' AND n %% 5000 = 1
                FROM (SELECT n, clock_timestamp() - INTERVAL '1 day' AS at,
                    CASE WHEN n %% 1000 = 0 THEN (ARRAY['pending', 'running', 'completed', 'failed', 'cancelled', 'blocked',
                        'in_doubt', 'parked', 'compensation_failed'])[n / 1000 %% 9 + 1] ELSE 'waiting' END AS state
                    FROM generate_series(1, %s) AS n) AS made""".replace("%%", "%").replace("%s", Integer.toString(RUNS))).update();
        jdbc.sql("""
                UPDATE saga_run SET since = clock_timestamp() - INTERVAL '2 days' WHERE start_key IN ('key-7', 'key-77')""").update();
        jdbc.sql("VACUUM (ANALYZE) saga_run").update();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @ParameterizedTest
    @EnumSource(RunState.class)
    void runsInOneStateAreReadThroughAnIndex(RunState state) throws SQLException {
        for (String run : new String[] {null, "many", "other"}) {
            for (RunId before : new RunId[] {null, RunId.of("00002710-0000-7000-8000-000000000000")}) {
                assertReadsFew(new RunQuery(run, Set.of(state), before, SHOWN));
            }
        }
    }

    static Stream<RunQuery> others() {
        return Stream.of(
                new RunQuery(null, Set.of(), null, SHOWN),
                new RunQuery("many", Set.of(), null, SHOWN),
                new RunQuery("other", Set.of(), null, SHOWN),
                new RunQuery(null, EnumSet.complementOf(EnumSet.of(RunState.WAITING)), null, SHOWN),
                new RunQuery("many", "key-7", null, Set.of(), null, null, SHOWN),
                new RunQuery("many", "key-7", "a", Set.of(), null, null, SHOWN),
                new RunQuery("many", "key-8", RunQuery.WITHOUT_TENANT, Set.of(), null, null, SHOWN),
                new RunQuery(null, null, "a", Set.of(), null, null, SHOWN),
                new RunQuery("many", null, "a", Set.of(RunState.WAITING), null, null, SHOWN),
                new RunQuery(null, null, "a", Set.of(RunState.FAILED), null, null, SHOWN),
                new RunQuery(null, null, "b", Set.of(), null, null, SHOWN),
                new RunQuery(null, null, RunQuery.WITHOUT_TENANT, Set.of(), null, null, SHOWN),
                new RunQuery(null, null, RunQuery.WITHOUT_TENANT, Set.of(RunState.FAILED), null, null, SHOWN),
                new RunQuery(null, null, null, Set.of(RunState.WAITING), Duration.ofHours(30), null, SHOWN),
                new RunQuery("many", null, null, Set.of(RunState.WAITING), Duration.ofHours(30), null, SHOWN),
                new RunQuery(null, null, null, Set.of(RunState.WAITING), Duration.ofMinutes(1), null, SHOWN),
                new RunQuery(null, null, null, Set.of(RunState.FAILED), Duration.ofMinutes(1), null, SHOWN),
                RunQuery.all().startedBetween(null, startOf(100)).latest(SHOWN),
                RunQuery.all()
                        .startedBetween(null, startOf(100))
                        .in(RunState.WAITING)
                        .latest(SHOWN),
                RunQuery.all().startedBetween(Instant.now(), null).latest(SHOWN),
                RunQuery.all()
                        .startedBetween(Instant.now(), null)
                        .in(RunState.WAITING)
                        .latest(SHOWN));
    }

    /** Returns the time with which the id of a run begins. All runs were started later by the clock of the database. */
    private static Instant startOf(long number) {
        return Instant.ofEpochMilli(number << 16);
    }

    @ParameterizedTest
    @MethodSource("others")
    void listsOfRunsAreReadThroughAnIndex(RunQuery query) throws SQLException {
        assertReadsFew(query);
    }

    static Stream<RunQuery> counts() {
        return Stream.of(
                RunQuery.all().in(RunState.WAITING),
                RunQuery.all().in(RunState.WAITING).of("many"),
                RunQuery.all().in(RunState.WAITING).of("other"),
                RunQuery.all().of("many"),
                RunQuery.all().ofTenant(RunQuery.WITHOUT_TENANT).in(RunState.WAITING),
                new RunQuery(null, null, null, Set.of(RunState.WAITING), Duration.ofMinutes(1), null, SHOWN),
                RunQuery.all().in(RunState.FAILED),
                RunQuery.all().in(RunState.COMPLETED).of("many"));
    }

    @ParameterizedTest
    @MethodSource("counts")
    void aCountReadsHardlyMoreRunsThanItCounts(RunQuery query) throws SQLException {
        RunSelections.Listing counting = selections.counting(query, MOST);

        assertThat(plan(counting.sql(), counting.values()))
                .describedAs("%s", query)
                .noneMatch(line -> line.contains("Seq Scan on saga_run"))
                .allSatisfy(line -> assertThat(rows(line) + removed(line)).isLessThan(2 * MOST));
    }

    @Test
    void aCountIsTheNumberOfListedRuns() throws SQLException {
        try (Connection connection = connections.getConnection()) {
            for (RunState state : RunState.values()) {
                RunQuery query = RunQuery.all().in(state).latest(RUNS);
                assertThat(lists.count(connection, query, RUNS))
                        .describedAs("%s", state)
                        .isEqualTo(lists.list(connection, query).size());
            }
            assertThat(lists.count(connection, RunQuery.all().of("many"), RUNS + 1))
                    .isEqualTo(RUNS);
        }
    }

    @Test
    void manyLongWaitsAreNotAllReadForOnePage() throws SQLException {
        RunSelections.Listing listing = selections.listing(
                new RunQuery(null, null, null, Set.of(RunState.WAITING), Duration.ofMinutes(1), null, SHOWN));

        assertThat(plan(listing.sql(), listing.values()))
                .allSatisfy(line -> assertThat(rows(line)).isLessThanOrEqualTo(10_001));
    }

    @Test
    void dueRunsAreCountedWithoutASequentialScan() throws SQLException {
        assertThat(plan(lists.backlog(), Map.of()))
                .noneMatch(line -> line.contains("Seq Scan") || line.contains("Sort Key: r.due_at"));
    }

    @Test
    void executingRunsAreCountedWithoutASequentialScan() {
        assertThat(JdbcClient.create(connections)
                        .sql("EXPLAIN "
                                + RunLoads.of(schema, Duration.ofSeconds(30)).text())
                        .params(10_000, 10_000)
                        .query(String.class)
                        .list())
                .anyMatch(line -> line.contains("saga_run_lane"))
                .noneMatch(line -> line.contains("Seq Scan on saga_run"));
    }

    @Test
    void runsThatWaitForAPersonAreCountedWithoutASequentialScan() throws SQLException {
        assertThat(plan(lists.troubled(), Map.of()))
                .noneMatch(line -> line.contains("Seq Scan on saga_run"))
                .allSatisfy(line -> assertThat(removed(line)).isLessThan(RUNS / 20));
    }

    @Test
    void runsThatHaveWaitedForALongTimeAreFound() throws SQLException {
        try (Connection connection = connections.getConnection()) {
            assertThat(lists.list(
                            connection,
                            new RunQuery(
                                    null, null, null, Set.of(RunState.WAITING), Duration.ofHours(30), null, SHOWN)))
                    .extracting(RunRow::key)
                    .containsExactly("key-77", "key-7");
        }
    }

    @Test
    void longWaitingRunsAreListedWithTheLatestStartFirst() throws SQLException {
        try (Connection connection = connections.getConnection()) {
            assertThat(lists.list(
                            connection,
                            new RunQuery(null, null, null, Set.of(RunState.WAITING), Duration.ofMinutes(1), null, 3)))
                    .extracting(RunRow::key)
                    .containsExactly("key-19999", "key-19998", "key-19997");
        }
    }

    private static void assertReadsFew(RunQuery query) throws SQLException {
        RunSelections.Listing listing = selections.listing(query);

        List<String> plan = plan(listing.sql(), listing.values());

        assertThat(plan)
                .describedAs("%s", query)
                .noneMatch(line -> line.contains("Seq Scan on saga_run"))
                .allSatisfy(line -> assertThat(removed(line)).isLessThan(RUNS / 20));
    }

    private static double rows(String line) {
        Matcher rows = ROWS.matcher(line);
        return rows.find() ? Double.parseDouble(rows.group(1)) * Long.parseLong(rows.group(2)) : 0;
    }

    /** Returns the number of rows that were read but not returned. */
    private static int removed(String line) {
        String mark = "Rows Removed by Filter: ";
        return line.contains(mark)
                ? Integer.parseInt(
                        line.substring(line.indexOf(mark) + mark.length()).strip())
                : 0;
    }

    private static List<String> plan(String sql, Map<String, Value> values) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            return new RunSelections.Listing("run.list", "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + sql, values)
                    .on(connection)
                    .list(row -> row.text("QUERY PLAN"));
        }
    }
}
