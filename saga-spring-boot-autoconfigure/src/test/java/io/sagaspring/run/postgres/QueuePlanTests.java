package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.PickedUpRun;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.RowsRead;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests that the number of rows that a pickup reads depends on the number of permits, and not on the length of the
 * queue.
 */
class QueuePlanTests {

    private static final int PERMITS = 4;

    /** A pickup reads a few rows for each key that it checks, and it checks a few keys for each permit. */
    private static final int MOST_ROWS = 50 * PERMITS;

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final DataSource connections = database.dataSource();

    private static void declare(JdbcClient jdbc) {
        int unused = jdbc.sql("""
                INSERT INTO saga_queue (queue, declared, at_once, keeps_permits, for_each) VALUES ('q', 'd', 4, false, 1)""").update()
                + jdbc.sql(
                                "INSERT INTO saga_permit (queue, number, revision) SELECT 'q', n, 0 FROM generate_series(1, 4) AS n")
                        .update();
    }

    private static void fill(JdbcClient jdbc) {
        int unused = jdbc.sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, lane, queue, queue_key, priority, queue_number)
                SELECT gen_random_uuid(), 'tale', 'pending', 'f', '', clock_timestamp(), 'queue:q', 'q', 'key-' || n % 1000, 0, n
                FROM generate_series(1, 50000) AS n""").update();
    }

    /**
     * The server plans a statement a few times, and then keeps one plan, even if the queue was empty when the plan was
     * made.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPickupReadsFewRowsOfALongQueue(boolean wasPlannedWhileEmpty) throws SQLException {
        JdbcClient other = JdbcClient.create(connections);
        declare(other);
        if (wasPlannedWhileEmpty) {
            other.sql("VACUUM (ANALYZE) saga_run").update();
        }
        SagaSchema schema = SagaSchema.verify(connections, null);
        Duration lease = Duration.ofMinutes(1);
        LastWrites lastWrites = new LastWrites();
        QueuePick pick =
                new QueuePick(schema, "node", lease, lastWrites, new DueRuns(schema, "node", lease, lastWrites));
        try (Connection connection = connections.getConnection()) {
            for (int call = 0; wasPlannedWhileEmpty && call < 20; call++) {
                assertThat(pick.take(connection, "q", Set.of("tale"), PERMITS)).isEmpty();
            }
            fill(other);
            connection.setAutoCommit(false);
            long before = RowsRead.of(connection, "saga_run");

            List<PickedUpRun> begun = pick.take(connection, "q", Set.of("tale"), PERMITS);

            assertThat(begun).hasSize(PERMITS);
            assertThat(RowsRead.of(connection, "saga_run") - before).isBetween((long) PERMITS, (long) MOST_ROWS);
            connection.rollback();
        }
    }
}
