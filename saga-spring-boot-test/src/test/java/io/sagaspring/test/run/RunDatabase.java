package io.sagaspring.test.run;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.PostgresRunStore;
import io.sagaspring.run.PostgresRunStore.Commits;
import io.sagaspring.run.RunStore;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.test.database.DatabaseTemplate;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A database with runs, and a pool of connections to it. */
final class RunDatabase implements AutoCloseable {

    /** A database in which the library has run before. */
    static final class Installed implements DatabaseTemplate {

        @Override
        public void fill(DataSource dataSource) {
            new SchemaInstaller(dataSource, null).migrate();
        }
    }

    /** All that says when something was, or is to be. */
    private static final List<String> PASSING = List.of(
            "UPDATE saga_run SET due_at = due_at - $, deadline_at = deadline_at - $, started_at = started_at - $, ended_at = ended_at - $, picked_up_at = picked_up_at - $, since = since - $",
            "UPDATE saga_step SET until = until - $, at = at - $",
            "UPDATE saga_signal SET at = at - $");

    private final TestDatabase database = TestDatabase.create(Installed.class);
    private final SagaSchema schema = new SchemaInstaller(database.dataSource(), null).verify();
    private final HikariDataSource pool = newPool();
    private final HikariDataSource beside = newPool();
    private final JdbcClient jdbc = JdbcClient.create(beside);

    DataSource pool() {
        return pool;
    }

    HikariDataSource newPool() {
        HikariDataSource opened = new HikariDataSource();
        opened.setDataSource(database.dataSource());
        // A connection costs more than most tests.
        opened.setMinimumIdle(0);
        return opened;
    }

    JdbcClient jdbc() {
        return jdbc;
    }

    Connection connect() throws SQLException {
        return database.dataSource().getConnection();
    }

    RunStore store(DataSource connections, String node, Commits commits) {
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
        String interval = duration.toMillis() + " * INTERVAL '1 millisecond'";
        PASSING.forEach(sql -> jdbc.sql(sql.replace("$", interval)).update());
    }

    /** Time passes for all rows, and the fewer there are the faster. */
    void empty() {
        jdbc.sql("TRUNCATE saga_run, saga_step, saga_signal").update();
    }

    @Override
    public void close() {
        beside.close();
        pool.close();
        database.close();
    }
}
