package io.sagaspring.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A row is found by its key, even if the plan was made after a vacuum of the empty table. The library's tables are
 * nearly empty most of the time. After a vacuum of an empty table, the planner tends to read the whole table. Every
 * pooled connection keeps its plan, even after a busy minute has filled the table.
 */
class EmptyTablePlanTests {

    @Test
    void aClaimIsFoundByItsKeyAfterAVacuumOfTheEmptyLedger() throws SQLException {
        assertIsFoundByKey(
                "saga_claim",
                "(text, text, bigint) AS DELETE FROM saga_claim WHERE entity = $1 AND entity_id = $2 AND token = $3",
                "('e', '1', 1)");
    }

    @Test
    void backgroundWorkIsFoundByItsKeyAfterAVacuumOfTheEmptyTable() throws SQLException {
        assertIsFoundByKey(
                "saga_due", "(bigint, bigint) AS DELETE FROM saga_due WHERE id = $1 AND token = $2", "(1, 1)");
    }

    private static void assertIsFoundByKey(String table, String prepared, String values) throws SQLException {
        try (TestDatabase database = TestDatabase.create(MigratedSchema.class);
                Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("VACUUM (ANALYZE) " + table);
            // The driver's prepared statements use a generic plan after a few executions.
            statement.execute("SET plan_cache_mode = force_generic_plan");
            statement.execute("PREPARE by_key " + prepared);

            assertThat(plan(statement, "EXECUTE by_key " + values))
                    .anyMatch(line -> line.contains(table + "_pkey"))
                    .noneMatch(line -> line.contains("Seq Scan"));
        }
    }

    private static List<String> plan(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery("EXPLAIN " + sql)) {
            List<String> lines = new ArrayList<>();
            while (rows.next()) {
                lines.add(rows.getString(1));
            }
            return lines;
        }
    }
}
