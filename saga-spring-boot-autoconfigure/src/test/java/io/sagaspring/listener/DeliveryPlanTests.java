package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.RowsRead;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that a pickup of deliveries reads few rows, even if its plans were made while the table contained one row. */
class DeliveryPlanTests {

    private static final int SLOTS = 16;

    /** A pickup reads each row to find it, to lock it and to change it. */
    private static final int MOST_ROWS = 6 * SLOTS;

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final JdbcClient other = JdbcClient.create(database.dataSource());
    private final DeliveryTable table =
            new DeliveryTable(SagaSchema.verify(database.dataSource(), null), "node", Duration.ofMinutes(1));
    private Connection connection;

    @BeforeEach
    void keepPlansOfASmallTable() throws SQLException {
        other.sql("ALTER TABLE saga_delivery SET (autovacuum_enabled = false)").update();
        insertDeliveries(1);
        other.sql("VACUUM (ANALYZE) saga_delivery").update();
        connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        for (int call = 0; call < 12; call++) {
            assertThat(pickUp()).isOne();
            connection.rollback();
        }
        insertDeliveries(20_000);
    }

    @AfterEach
    void closeConnection() throws SQLException {
        connection.rollback();
        connection.close();
    }

    private void insertDeliveries(int count) {
        int unused = other.sql("""
                INSERT INTO saga_delivery (listener, event, line, format, payload, published_at, due_at)
                SELECT 'l', 'e', n, 'f', '', clock_timestamp(), clock_timestamp() FROM generate_series(1, :count) AS n""").param("count", count).update();
    }

    private int pickUp() throws SQLException {
        List<Long> heads = table.heads(connection, "l", Long.MIN_VALUE, SLOTS).ids();
        return table.pick(connection, heads, 10).size();
    }

    @Test
    void aPickupReadsFewRowsOfATableThatHasGrown() throws SQLException {
        long before = RowsRead.of(connection, "saga_delivery");

        assertThat(pickUp()).isEqualTo(SLOTS);

        assertThat(RowsRead.of(connection, "saga_delivery") - before).isBetween((long) SLOTS, (long) MOST_ROWS);
    }
}
