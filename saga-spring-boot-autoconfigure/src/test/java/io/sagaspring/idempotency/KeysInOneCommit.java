package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Base class of tests with same-transaction keys. Each test begins without keys and without credits. */
abstract class KeysInOneCommit {

    /** All classes of this JVM share this database. It is removed together with its server. */
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final DataSource connections = database.dataSource();

    static final SagaSchema schema = SagaSchema.migrate(connections, null);
    static final JdbcClient jdbc = JdbcClient.create(connections);
    static final IdempotencyKey KEY = IdempotencyKey.of("credit", "request-1");
    static final TransactionTemplate transaction =
            new TransactionTemplate(new DataSourceTransactionManager(connections));

    final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);

    @BeforeEach
    void resetTables() {
        jdbc.sql("DROP TABLE IF EXISTS credit; CREATE TABLE credit (cents int)").update();
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
    }

    Idempotency idempotency(Duration patience, DataSource keysOn, DataSource transactionsOn) {
        KeySettings settings =
                new KeySettings(Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), patience);
        KeyStore store = new KeyStore(schema, "node", new OwnTransactions(keysOn), settings, List.of());
        return new Idempotency(
                        new IdempotencyKeys(store, keeper),
                        new TransactionalKeys(
                                store, keysOn, () -> new DataSourceTransactionManager(transactionsOn), () -> 2),
                        new JsonPayloadCodec(1_000))
                .inTransaction();
    }

    Idempotency idempotency(DataSource on) {
        return idempotency(Duration.ofSeconds(20), on, on);
    }

    Idempotency idempotency() {
        return idempotency(connections);
    }

    static int credit(int cents) {
        jdbc.sql("INSERT INTO credit VALUES (?)").param(cents).update();
        return sum();
    }

    int creditOnce(int cents) {
        return idempotency().execute(KEY, Integer.class, () -> credit(cents));
    }

    /** Executes the work on a connection outside the current transaction. */
    static void separately(Runnable work) {
        OwnThread.run(work).orTimeout(20, SECONDS).join();
    }

    static int sum() {
        return jdbc.sql("SELECT coalesce(sum(cents), 0) FROM credit")
                .query(Integer.class)
                .single();
    }

    static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }
}
