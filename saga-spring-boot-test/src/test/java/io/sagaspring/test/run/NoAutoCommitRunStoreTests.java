package io.sagaspring.test.run;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests a store over a pool with {@code auto-commit=false}, which many applications set. */
class NoAutoCommitRunStoreTests extends RunStoreContract {

    private static final RunDatabase database = new RunDatabase();
    private static final HikariDataSource pool = withoutAutoCommit();
    private static final RunStore store = database.store(pool, "one", Commits.SHARED);
    private static final RunStore another = database.store(pool, "another", Commits.SEPARATE);

    private static HikariDataSource withoutAutoCommit() {
        HikariDataSource pool = database.newPool();
        pool.setAutoCommit(false);
        return pool;
    }

    @BeforeEach
    void empty() {
        database.empty();
    }

    @AfterEach
    void resetKeeperConnection() throws SQLException {
        database.resetKeeperConnection();
    }

    @AfterAll
    static void drop() {
        pool.close();
        database.close();
    }

    @Override
    protected RunStore store() {
        return store;
    }

    @Override
    protected RunStore another() {
        return another;
    }

    @Override
    protected void pass(Duration duration) {
        database.pass(duration);
    }

    @Override
    protected RenewableLeases.Connecting connecting() {
        return database::keeperConnection;
    }
}
