package io.sagaspring.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.RowsRead;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that a pickup of background work reads few rows, even if its plan was made while the table was empty. */
class DueWorkPlanTests {

    private static final int SLOTS = 16;

    /** A pickup reads each row to lock it, and once more to change it. */
    private static final int MOST_ROWS = 3 * SLOTS;

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final JdbcClient other = JdbcClient.create(database.dataSource());

    private void fill() {
        int unused = other.sql("""
                INSERT INTO saga_due (queue, work_key, payload, due_at)
                SELECT 'mail', n, '', clock_timestamp() FROM generate_series(1, 20000) AS n""").update();
    }

    @Test
    void aPickupReadsFewRowsIfItsPlanWasMadeWhileTheTableWasEmpty() throws SQLException {
        other.sql("ALTER TABLE saga_due SET (autovacuum_enabled = false)").update();
        other.sql("VACUUM (ANALYZE) saga_due").update();
        DueTable table =
                new DueTable(SagaSchema.verify(database.dataSource(), null), "node", Duration.ofMinutes(1), false);
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (int call = 0; call < 12; call++) {
                assertThat(table.pick(connection, Set.of("mail"), SLOTS, 10)).isEmpty();
                connection.rollback();
            }
            fill();
            long before = RowsRead.of(connection, "saga_due");

            assertThat(table.pick(connection, Set.of("mail"), SLOTS, 10)).hasSize(SLOTS);

            assertThat(RowsRead.of(connection, "saga_due") - before).isBetween((long) SLOTS, (long) MOST_ROWS);
            connection.rollback();
        }
    }
}
