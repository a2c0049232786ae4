package io.sagaspring.test.run;

import io.sagaspring.run.RunStore;
import io.sagaspring.run.postgres.PostgresRunStore.Commits;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;

/** Tests a store on PostgreSQL whose caller writes directly if there is no other caller. */
class PostgresRunStoreTests extends AbstractPostgresRunStoreTests {

    private static final RunDatabase database = new RunDatabase();
    private static final RunStore store = database.store(database.pool(), "one", Commits.SHARED);
    private static final RunStore another = database.store(database.pool(), "another", Commits.SHARED);

    PostgresRunStoreTests() {
        super(database);
    }

    @AfterAll
    static void drop() {
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
    RunStore open(DataSource connections, String node) {
        return database.store(connections, node, Commits.SHARED);
    }

    @Override
    String statement(Call call) {
        return switch (call) {
            case START -> "saga:run.start */";
            case CHECKPOINT -> "saga:run.checkpoint */";
            case SUSPEND -> "saga:run.suspend */";
            case END -> "saga:run.end */";
        };
    }
}
