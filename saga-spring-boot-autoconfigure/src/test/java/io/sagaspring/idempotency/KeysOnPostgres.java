package io.sagaspring.idempotency;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Base class of tests with keys whose claim and reply are committed separately. Each test begins without keys. */
@ExpectsErrors("cannot be replayed")
abstract class KeysOnPostgres {

    /** All classes of this JVM share this database. It is removed together with its server. */
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final AtomicInteger opened = new AtomicInteger();
    static final DataSource connections = new DelegatingDataSource(database.dataSource()) {
        @Override
        public Connection getConnection() throws SQLException {
            opened.incrementAndGet();
            return super.getConnection();
        }
    };
    static final SagaSchema schema = SagaSchema.migrate(connections, null);
    static final JdbcClient jdbc = JdbcClient.create(connections);
    static final KeySettings SETTINGS = new KeySettings(
            Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ofMillis(200));
    static final IdempotencyKey KEY =
            IdempotencyKey.of("pay", "request-1").ownedBy("ada").onAccount("7");

    final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);
    final KeyStore store = new KeyStore(schema, "node", new OwnTransactions(connections), SETTINGS, List.of());
    final IdempotencyKeys keys = new IdempotencyKeys(store, keeper);
    final Idempotency idempotency = new Idempotency(
            keys,
            new TransactionalKeys(store, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
            new JsonPayloadCodec(1_000));
    final AtomicInteger done = new AtomicInteger();

    record Receipt(String number, int cents) {}

    @BeforeEach
    void deleteKeys() {
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
    }

    @AfterEach
    void stop() {
        keeper.close();
    }

    Receipt pay() {
        return new Receipt("R-" + done.incrementAndGet(), 1200);
    }

    Receipt payOnce(IdempotencyKey key) {
        return idempotency.execute(key, Receipt.class, this::pay);
    }

    static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }

    static int leaseLeft() {
        return jdbc.sql("SELECT extract(epoch FROM lease_until - clock_timestamp())::int FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }

    /** Changes all leases as if their owners had sent no heartbeat for this interval. */
    static void backdateLeases(String interval) {
        backdateLeases(interval, "true");
    }

    static void backdateLeases(String interval, String condition) {
        jdbc.sql(
                        "UPDATE saga_idempotency_key SET lease_until = claimed_at + INTERVAL '30 seconds' - INTERVAL '%s' WHERE %s"
                                .formatted(interval, condition))
                .update();
    }
}
