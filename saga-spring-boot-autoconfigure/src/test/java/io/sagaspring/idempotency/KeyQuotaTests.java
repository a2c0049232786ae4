package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A key owner that has reached its limit cannot claim a new key. */
class KeyQuotaTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void deleteKeys() {
        JdbcClient.create(connections).sql("DELETE FROM saga_idempotency_key").update();
    }

    private static KeyStore store(int maxKeys) {
        KeySettings settings =
                new KeySettings(Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ZERO);
        return new KeyStore(
                schema, "node", new OwnTransactions(connections), settings, List.of(), maxKeys, Tenants.none());
    }

    private static Idempotency idempotency(KeyStore store, boolean sameTransaction) {
        Idempotency idempotency = new Idempotency(
                new IdempotencyKeys(store, keeper),
                new TransactionalKeys(store, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
                new JsonPayloadCodec(1_000));
        return sameTransaction ? idempotency.inTransaction() : idempotency;
    }

    private static String pay(Idempotency idempotency, String owner, String requestId) {
        return idempotency.execute(
                IdempotencyKey.of("pay", requestId).ownedBy(owner), String.class, () -> "paid " + requestId);
    }

    private static void assertRefused(Idempotency idempotency, String owner, String requestId) {
        long before = rows();
        assertThatExceptionOfType(TooManyKeysException.class)
                .isThrownBy(() -> pay(idempotency, owner, requestId))
                .withMessageContaining("the 2 keys that saga.idempotency.max-keys-per-owner allows");
        assertThat(rows()).isEqualTo(before);
    }

    private static long rows() {
        return JdbcClient.create(connections)
                .sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Long.class)
                .single();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aNewKeyOverTheLimitIsRefusedAndEarlierKeysAreStillReplayed(boolean sameTransaction) {
        Idempotency idempotency = idempotency(store(2), sameTransaction);
        pay(idempotency, "ann", "r-1");
        pay(idempotency, "ann", "r-2");

        assertRefused(idempotency, "ann", "r-3");
        assertThat(pay(idempotency, "ann", "r-1")).isEqualTo("paid r-1");
        assertThat(pay(idempotency, "bob", "r-3")).isEqualTo("paid r-3");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFreedKeyDoesNotCountTowardsTheLimit(boolean sameTransaction) {
        Idempotency idempotency = idempotency(store(2), sameTransaction);
        for (int each = 0; each < 5; each++) {
            String requestId = "r-" + each;
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> idempotency.execute(
                            IdempotencyKey.of("pay", requestId).ownedBy("ann"), String.class, () -> {
                                throw new IllegalStateException("declined");
                            }));
        }
        pay(idempotency, "ann", "r-1");
        pay(idempotency, "ann", "r-2");
        assertRefused(idempotency, "ann", "r-3");
    }

    @Test
    void theCountIncludesKeysOfOtherNodesButNoExpiredKeys() {
        KeyStore thisNode = store(2);
        Idempotency otherNode = idempotency(store(2), false);
        pay(otherNode, "ann", "r-1");
        pay(otherNode, "ann", "r-2");
        thisNode.count();
        assertRefused(idempotency(thisNode, false), "ann", "r-3");

        JdbcClient.create(connections)
                .sql("UPDATE saga_idempotency_key SET expires_at = clock_timestamp()")
                .update();
        thisNode.count();
        assertThat(pay(idempotency(thisNode, false), "ann", "r-3")).isEqualTo("paid r-3");
    }

    @Test
    void aLimitOfZeroAllowsAnyNumberOfKeys() {
        KeyStore store = store(0);
        store.count();
        for (int each = 0; each < 5; each++) {
            pay(idempotency(store, false), "ann", "r-" + each);
        }
        assertThat(rows()).isEqualTo(5);
    }

    @Test
    void theMeasuredDiskSpaceGrowsWithTheKeys() {
        KeyStore store = store(0);
        long before = store.bytes();
        JdbcClient.create(connections).sql("""
                        INSERT INTO saga_idempotency_key (id, owner, account, request_id, operation, attempt, token, node,
                            claimed_at, expires_at, format, body)
                        SELECT decode(md5(n::text), 'hex'), '-', '-', 'r', 'o', gen_random_uuid(), n, 'node', now(), now(),
                            'json', decode(string_agg(md5(random()::text), ''), 'hex')
                        FROM generate_series(1, 20) AS n, generate_series(1, 3000) GROUP BY n""").update();

        assertThat(store.bytes()).isGreaterThan(before + 500_000);
    }
}
