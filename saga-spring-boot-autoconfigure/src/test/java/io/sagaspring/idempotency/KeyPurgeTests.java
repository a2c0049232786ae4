package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Checks the purge of a million keys, some of which have expired. */
@Tag("chaos")
class KeyPurgeTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final SagaSchema schema = SagaSchema.migrate(database.dataSource(), null);
    private final KeyStore store = new KeyStore(
            schema,
            "node",
            new OwnTransactions(database.dataSource()),
            new KeySettings(Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ZERO),
            List.of());

    @Test
    void concurrentPurgesShareTheExpiredKeysAndReadNoOtherKeys() throws Exception {
        jdbc.sql("""
                INSERT INTO saga_idempotency_key (id, owner, account, request_id, operation, attempt, token, node,
                    claimed_at, expires_at, format)
                SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), '-', '-', n, 'pay', gen_random_uuid(), n, 'node', now(),
                    now() + (n - 5000) * INTERVAL '1 second', 'json'
                FROM generate_series(1, 1000000) AS n""").update();
        jdbc.sql("ANALYZE saga_idempotency_key").update();

        String plan = String.join(
                "\n",
                jdbc.sql("EXPLAIN " + store.purge())
                        .param(1_000)
                        .query(String.class)
                        .list());
        assertThat(plan).contains("saga_idempotency_key_expiry").doesNotContain("Seq Scan", "Sort");

        CompletableFuture<Integer> one = OwnThread.call(this::purgeAll);
        CompletableFuture<Integer> other = OwnThread.call(this::purgeAll);
        assertThat(one.get(1, TimeUnit.MINUTES) + other.get(1, TimeUnit.MINUTES))
                .isBetween(5_000, 5_120);
        assertThat(jdbc.sql("SELECT count(*) FROM saga_idempotency_key WHERE expires_at <= clock_timestamp()")
                        .query(Integer.class)
                        .single())
                .isLessThan(60);
    }

    private int purgeAll() {
        int all = 0;
        for (int removed = store.purge(500); removed > 0; removed = store.purge(500)) {
            all += removed;
        }
        return all;
    }
}
