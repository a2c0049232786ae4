package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that runs are found by their key through the index, before and after the table was analyzed. */
class KeyIndexPlanTests {

    private static final UUID UNKNOWN = UUID.fromString("ffffffff-0000-7000-8000-000000000000");
    private static final UUID KNOWN = UUID.fromString("00000003-0000-7000-8000-000000000000");
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.verify(connections, null);
    private static final String RUNS = schema.table("saga_run");

    /** Inserts runs with keys of both kinds. Of the runs with open keys, most have ended. */
    @BeforeAll
    static void fill() {
        JdbcClient.create(connections).sql("""
                INSERT INTO saga_run (id, run, start_key, key_kind, state, format, input, started_at, ended_at)
                SELECT (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, 'many', 'key-' || n / 2,
                    CASE WHEN n % 2 = 1 THEN 'open' END, 'completed', 'f', '', clock_timestamp(),
                    CASE WHEN n % 10 <> 1 THEN clock_timestamp() END
                FROM generate_series(1, 20000) AS n""").update();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    private static void analyzed(boolean isAnalyzed) {
        if (isAnalyzed) {
            JdbcClient.create(connections).sql("ANALYZE saga_run").update();
        }
    }

    private interface Binding {
        SqlCall to(SqlCall call);
    }

    private static List<String> plan(String sql, Binding values) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            return values.to(Sql.named("run.plan", "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + sql)
                            .on(connection))
                    .list(row -> row.text("QUERY PLAN"));
        }
    }

    private static void requireIndex(List<String> plan) {
        assertThat(plan)
                .anyMatch(line -> line.contains("saga_run_key"))
                .noneMatch(line -> line.contains("Seq Scan") || line.contains("Rows Removed by Filter"));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStartFindsTheExistingRunThroughTheIndex(Kind kind) throws SQLException {
        for (boolean isAnalyzed : new boolean[] {false, true}) {
            analyzed(isAnalyzed);
            requireIndex(plan(
                    StartRows.findStart(RUNS),
                    call -> call.with("node", "node")
                            .with("id", UNKNOWN)
                            .with("run", "many")
                            .with("key", KeyIndex.entry(new StartKey("key-5", kind)))
                            .with("tenant", (String) null)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRefusedRetryFindsTheOtherRunThroughTheIndex(boolean isAnalyzed) throws SQLException {
        analyzed(isAnalyzed);
        requireIndex(plan(RunRows.findSuccessor(RUNS), call -> call.with("id", KNOWN)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListByKeyReadsTheIndex(boolean isAnalyzed) throws SQLException {
        analyzed(isAnalyzed);
        RunSelections.Listing listing =
                new RunSelections(schema, "*").listing(new RunQuery("many", "key-5", null, Set.of(), null, null, 10));
        requireIndex(plan(listing.sql(), call -> {
            listing.values().forEach(call::with);
            return call;
        }));
    }
}
