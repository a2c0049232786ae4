package io.sagaspring.run.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.postgres.Change.Write;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Tests statements whose plans were made while the table of runs contained one row. A scan of the whole table is then
 * the fastest plan, and the server keeps a plan until it analyzes the table again. Meanwhile, the table may grow.
 */
class EarlyPlanTests {

    private static final int SLOTS = 16;
    private static final int BACKLOG = 20_000;

    /** Each statement reads a run a few times, for example to count it, to lock it and to change it. */
    private static final int MOST_ROWS = 6 * SLOTS;

    /** The driver prepares a statement at the fifth call. The server chooses its plan at the sixth call after that. */
    private static final int CALLS_UNTIL_THE_PLAN_IS_KEPT = 12;

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final DataSource connections = database.dataSource();
    private final JdbcClient other = JdbcClient.create(connections);
    private final LastWrites lastWrites = new LastWrites();
    private final SagaSchema schema = SagaSchema.verify(connections, null);
    private final DueRuns due = new DueRuns(schema, "node", Duration.ofMinutes(1), lastWrites);
    private Connection connection;

    @BeforeEach
    void analyzeASmallTable() throws SQLException {
        other.sql("ALTER TABLE saga_run SET (autovacuum_enabled = false)").update();
        insertDueRuns(1);
        other.sql("VACUUM (ANALYZE) saga_run").update();
        connection = connections.getConnection();
        connection.setAutoCommit(false);
    }

    @AfterEach
    void closeConnection() throws SQLException {
        connection.rollback();
        connection.close();
    }

    private void insertDueRuns(int count) {
        int unused = other.sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, due_at)
                SELECT gen_random_uuid(), 'tale', 'pending', 'f', '', clock_timestamp(),
                    clock_timestamp() - n * INTERVAL '1 millisecond' FROM generate_series(1, :count) AS n""").param("count", count).update();
    }

    private interface Statement {
        void on(Connection connection) throws SQLException;
    }

    private void letServerKeepItsPlan(Statement statement) throws SQLException {
        for (int call = 0; call < CALLS_UNTIL_THE_PLAN_IS_KEPT; call++) {
            statement.on(connection);
            connection.rollback();
        }
    }

    private long rowsReadBy(Statement statement) throws SQLException {
        long before = RowsRead.of(connection, "saga_run");
        statement.on(connection);
        return RowsRead.of(connection, "saga_run") - before;
    }

    @Test
    void aPickupReadsFewRowsOfATableThatHasGrown() throws SQLException {
        letServerKeepItsPlan(
                to -> assertThat(due.take(to, Set.of("tale"), SLOTS, 10)).hasSize(1));
        insertDueRuns(BACKLOG);

        assertThat(rowsReadBy(to ->
                        assertThat(due.take(to, Set.of("tale"), SLOTS, 10)).hasSize(SLOTS)))
                .isBetween((long) SLOTS, (long) MOST_ROWS);
    }

    @Test
    void aSharedCommitReadsFewRowsOfATableThatHasGrown() throws SQLException {
        RunBatch batch = new RunBatch(schema, "node", Duration.ofMinutes(1), lastWrites);
        List<Write> one = writes(due.take(connection, Set.of("tale"), 1, 10));
        connection.commit();
        letServerKeepItsPlan(to -> assertThat(batch.make(to, one)).isOne());
        insertDueRuns(BACKLOG);
        List<Write> many = writes(due.take(connection, Set.of("tale"), SLOTS, 10));

        assertThat(rowsReadBy(to -> batch.make(to, many))).isBetween((long) SLOTS, (long) MOST_ROWS);
        assertThat(many).allSatisfy(write -> assertThat(write.answer()).isNotNull());
    }

    private static List<Write> writes(List<PickedUpRun> runs) {
        return runs.stream().map(EarlyPlanTests::write).toList();
    }

    private static Write write(PickedUpRun run) {
        JournalEntry entry = new JournalEntry(0, "step", Call.STEP, Mark.DONE, null, null, null, null, null);
        return new Write(run.runLease(), List.of(entry), null);
    }
}
