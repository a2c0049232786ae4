package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that lists and counts of runs with labels use the index of labels, and do not read all runs. */
@TestMethodOrder(OrderAnnotation.class)
class LabelPlanTests {

    private static final int RUNS = 100_000;
    private static final int SHOWN = 10;
    private static final int MOST = 1_000;
    private static final Pattern ROWS = Pattern.compile("actual rows=([0-9.]+) loops=(\\d+)");
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.verify(connections, null);
    private static final RunLists lists = new RunLists(schema);
    private static final RunSelections selections = new RunSelections(schema, "*");

    /**
     * Inserts runs, each with a label that few runs share and a label that many runs share. Two of each thousand runs
     * have failed, and all others are completed.
     */
    @BeforeAll
    static void fill() {
        JdbcClient jdbc = JdbcClient.create(connections);
        int runs = jdbc.sql("""
                INSERT INTO saga_run (id, run, tenant, state, format, input, started_at, ended_at)
                SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, 'many', CASE WHEN n % 2 = 0 THEN 'a' END,
                    CASE WHEN n % 1000 < 2 THEN 'failed' ELSE 'completed' END, 'f', '', at, at
                FROM (SELECT n, clock_timestamp() - (100000 - n) * INTERVAL '1 second' AS at
                    FROM generate_series(1, 100000) AS n) AS made""").update();
        int labels = jdbc.sql("""
                INSERT INTO saga_label (run_id, name, value)
                SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, l.name, l.value
                FROM generate_series(1, 100000) AS n, LATERAL (VALUES
                    ('customer', (n % 1000)::text), ('country', CASE WHEN n % 10 = 0 THEN 'fr' ELSE 'de' END)) AS l (name, value)""").update();
        assertThat(List.of(runs, labels)).containsExactly(RUNS, 2 * RUNS);
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    static Stream<RunQuery> queries() {
        RunQuery all = RunQuery.all().latest(SHOWN);
        RunQuery customer = all.withLabel("customer", "1");
        RunQuery country = all.withLabel("country", "de");
        return Stream.of(
                customer,
                customer.in(RunState.FAILED),
                customer.of("many").in(RunState.COMPLETED),
                customer.ofTenant("a"),
                customer.on("a node"),
                customer.startedBetween(Instant.EPOCH, Instant.now()),
                customer.withLabel("country", "de").in(RunState.FAILED),
                customer.before(RunId.of("00002710-0000-7000-8000-000000000000")),
                country,
                country.in(RunState.COMPLETED),
                country.before(RunId.of("00002710-0000-7000-8000-000000000000")));
    }

    /** The planner still believes that the tables are empty. */
    @ParameterizedTest
    @MethodSource("queries")
    @Order(1)
    void listsUseTheIndexWithoutStatistics(RunQuery query) throws SQLException {
        requireIndex(selections.listing(query), 1_000);
    }

    @Test
    @Order(2)
    void statisticsAreGathered() {
        int unused = JdbcClient.create(connections)
                .sql("ANALYZE saga_run, saga_label")
                .update();
    }

    @ParameterizedTest
    @MethodSource("queries")
    @Order(3)
    void listsUseTheIndexWithStatistics(RunQuery query) throws SQLException {
        requireIndex(selections.listing(query), 1_000);
    }

    @ParameterizedTest
    @MethodSource("queries")
    @Order(3)
    void aCountStopsReadingAtItsLimit(RunQuery query) throws SQLException {
        requireIndex(selections.counting(query, MOST), 2 * MOST + 10);
    }

    /** The test has inserted the runs, so their number is known. */
    @Test
    @Order(3)
    void countsAreExactUpToTheirLimit() throws SQLException {
        RunQuery customer = RunQuery.all().withLabel("customer", "1");
        try (Connection connection = connections.getConnection()) {
            assertThat(lists.count(connection, customer, MOST)).isEqualTo(100);
            assertThat(lists.count(connection, customer.in(RunState.FAILED), MOST))
                    .isEqualTo(100);
            assertThat(lists.count(connection, RunQuery.all().withLabel("country", "de"), MOST))
                    .isEqualTo(MOST);
            assertThat(lists.list(connection, customer.in(RunState.FAILED).latest(SHOWN)))
                    .hasSize(SHOWN);
        }
    }

    private static void requireIndex(RunSelections.Listing listing, int mostRows) throws SQLException {
        List<String> plan;
        try (Connection connection = connections.getConnection()) {
            plan = new RunSelections.Listing(
                            listing.name(),
                            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + listing.sql(),
                            listing.values())
                    .on(connection)
                    .list(row -> row.text("QUERY PLAN"));
        }

        assertThat(plan)
                .noneMatch(line -> line.contains("Seq Scan"))
                .anyMatch(line -> line.contains("saga_label_value"))
                .allSatisfy(line -> assertThat(rows(line)).isLessThanOrEqualTo(mostRows));
    }

    /** Returns the number of rows that a node of the plan returned or removed. */
    private static double rows(String line) {
        String mark = "Rows Removed by Filter: ";
        if (line.contains(mark)) {
            return Double.parseDouble(
                    line.substring(line.indexOf(mark) + mark.length()).strip());
        }
        Matcher rows = ROWS.matcher(line);
        return rows.find() ? Double.parseDouble(rows.group(1)) * Long.parseLong(rows.group(2)) : 0;
    }
}
