package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.RowsRead;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests that a pickup reads few rows of a long backlog, whatever the server knew about the table when it made the plan.
 * With a plan that sorts the due runs, each pickup would read all of them.
 */
class DuePlanTests {

    private static final int SLOTS = 16;
    private static final int BACKLOG = 20_000;

    /** A pickup counts a run, locks it and changes it. */
    private static final int MOST_ROWS = 6 * SLOTS;

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final DataSource connections = database.dataSource();
    private final JdbcClient other = JdbcClient.create(connections);

    private void insert(int count, String state, String due) {
        int unused = other.sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, due_at)
                SELECT gen_random_uuid(), 'tale', '%s', 'f', '', clock_timestamp(), %s FROM generate_series(1, %d) AS n""".formatted(state, due, count)).update();
    }

    private void insertBacklog() {
        insert(BACKLOG, "pending", "clock_timestamp() - n * INTERVAL '1 millisecond'");
    }

    /** The tables as they were when the server last collected statistics about them. */
    private enum Known {
        NOTHING,
        EMPTY,
        ENDED,
        FEW,
        FULL
    }

    private void collect(Known known) {
        switch (known) {
            case NOTHING, EMPTY -> {}
            case ENDED -> insert(5_000, "completed", "NULL");
            case FEW -> {
                insert(3_000, "completed", "NULL");
                insert(20, "pending", "clock_timestamp() + INTERVAL '1 hour'");
            }
            case FULL -> insertBacklog();
        }
        if (known != Known.NOTHING) {
            other.sql("VACUUM (ANALYZE) saga_run").update();
        }
        if (known != Known.FULL) {
            insertBacklog();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPickupReadsFewRowsOfALongBacklog(Known known) throws SQLException {
        collect(known);
        assertPickupsReadFewRows("auto");
        assertPickupsReadFewRows("force_generic_plan");
    }

    private void assertPickupsReadFewRows(String planning) throws SQLException {
        Duration lease = Duration.ofMinutes(1);
        DueRuns due = new DueRuns(SagaSchema.verify(connections, null), "node", lease, new LastWrites());
        try (Connection connection = connections.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET plan_cache_mode = " + planning);
            connection.setAutoCommit(false);
            for (int pickup = 0; pickup < 12; pickup++) {
                long before = RowsRead.of(connection, "saga_run");
                assertThat(due.take(connection, Set.of("tale"), SLOTS, 10)).hasSize(SLOTS);
                assertThat(RowsRead.of(connection, "saga_run") - before).isBetween((long) SLOTS, (long) MOST_ROWS);
            }
            connection.rollback();
        }
    }
}
