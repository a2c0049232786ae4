package io.sagaspring.lease;

import io.sagaspring.fence.Kept;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;

class PostgresLeaseStoreTests extends LeaseStoreContract {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = new SchemaInstaller(database.dataSource(), null).migrate();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final Duration RETENTION = Duration.ofDays(30);

    private Connection keepers;

    @BeforeEach
    void connect() throws SQLException {
        keepers = database.dataSource().getConnection();
    }

    @AfterEach
    void disconnect() throws SQLException {
        keepers.close();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @Override
    protected LeaseStore store() {
        return new PostgresLeaseStore(
                schema, new OwnTransactions(database.dataSource()), database.dataSource(), RETENTION);
    }

    @Override
    protected LeaseStore another() {
        return store();
    }

    @Override
    protected void pass(LeaseName name, Duration duration) {
        jdbc.sql("UPDATE saga_lease SET expires_at = expires_at - ? * INTERVAL '1 millisecond' WHERE name = ?")
                .param(duration.toMillis())
                .param(name.value())
                .update();
    }

    @Override
    protected Kept.Connecting connecting() {
        return () -> keepers;
    }
}
