package io.sagaspring.test.run;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.DatabaseTemplate;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A database with runs, and a pool of connections to it. */
final class RunDatabase implements AutoCloseable {

    /** Creates the library's tables, as in a database that the library has already used. */
    static final class Installed implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            SagaSchema.migrate(dataSource, null);
        }
    }

    /** Moves all stored times into the past. */
    private static final String PASSING = """
            WITH passed AS MATERIALIZED (SELECT ? * INTERVAL '1 millisecond' AS by),
            steps AS (UPDATE saga_step SET until = until - by, at = at - by FROM passed),
            signals AS (UPDATE saga_signal SET at = at - by FROM passed),
            rates AS (UPDATE saga_rate SET used_until = used_until - by FROM passed)
            UPDATE saga_run SET due_at = due_at - by, deadline_at = deadline_at - by, started_at = started_at - by,
                ended_at = ended_at - by, picked_up_at = picked_up_at - by, since = since - by
            FROM passed""";

    private static final long FEW_BYTES = 512 * 1024;

    private final TestDatabase database = TestDatabase.create(Installed.class);
    private final SagaSchema schema = SagaSchema.verify(database.dataSource(), null);
    private final HikariDataSource pool = newPool();
    private final HikariDataSource ownPool = newPool();
    private final JdbcClient jdbc = JdbcClient.create(ownPool);
    private @Nullable Connection keeperConnection;

    DataSource pool() {
        return pool;
    }

    HikariDataSource newPool() {
        HikariDataSource opened = new HikariDataSource();
        opened.setDataSource(database.dataSource());
        // Opening a connection takes longer than most tests, so the pool opens none in advance.
        opened.setMinimumIdle(0);
        return opened;
    }

    JdbcClient jdbc() {
        return jdbc;
    }

    Connection connect() throws SQLException {
        return database.dataSource().getConnection();
    }

    /** Returns the keeper's connection, which does not belong to a pool. It is reset after each test. */
    Connection keeperConnection() throws SQLException {
        Connection open = keeperConnection;
        if (open == null) {
            open = connect();
            keeperConnection = open;
        }
        return open;
    }

    /**
     * Resets the keeper's connection for the next test. The server rejects the reset if a transaction was left open.
     */
    void resetKeeperConnection() throws SQLException {
        Connection used = keeperConnection;
        if (used != null) {
            try (Statement statement = used.createStatement()) {
                statement.execute("DISCARD ALL");
            }
        }
    }

    PostgresRunStore store(DataSource connections, String node, Commits commits) {
        return new PostgresRunStore(
                schema,
                node,
                new OwnTransactions(connections),
                connections,
                RunStoreContract.LEASE,
                RunStoreContract.RETENTION,
                commits);
    }

    void pass(Duration duration) {
        jdbc.sql(PASSING).param(duration.toMillis()).update();
    }

    /** Removes all runs. Each call of {@link #pass} changes all rows, and is faster if only few rows exist. */
    void empty() {
        boolean isSmall = jdbc.sql(
                        "SELECT pg_total_relation_size('saga_run') + pg_total_relation_size('saga_step') + pg_total_relation_size('saga_signal') < ?")
                .param(FEW_BYTES)
                .query(Boolean.class)
                .single();
        if (isSmall) {
            // For few rows, DELETE is several times faster than TRUNCATE, and the server keeps all plans.
            jdbc.sql("WITH steps AS (DELETE FROM saga_step), signals AS (DELETE FROM saga_signal) DELETE FROM saga_run")
                    .update();
        } else {
            truncate();
        }
    }

    /** Removes all runs, and their traces in the indexes. */
    void truncate() {
        jdbc.sql("TRUNCATE saga_run, saga_step, saga_signal, saga_label").update();
    }

    @Override
    public void close() {
        ownPool.close();
        pool.close();
        // This also closes the keeper's connection.
        database.close();
    }
}
