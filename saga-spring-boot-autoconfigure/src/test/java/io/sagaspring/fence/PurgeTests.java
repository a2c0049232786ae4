package io.sagaspring.fence;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.idempotency.KeySettings;
import io.sagaspring.idempotency.KeyStore;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests when expired keys are removed: at the start, then at each interval, but not after the purge has ended. */
@ExtendWith(OutputCaptureExtension.class)
class PurgeTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Interference interference = new Interference();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final KeyStore store = new KeyStore(
            SagaSchema.migrate(database.dataSource(), null),
            "node",
            new OwnTransactions(interference.watched(database.dataSource())),
            new KeySettings(
                    Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ofSeconds(1)),
            List.of());
    private static final Duration NEVER_AGAIN = Duration.ofDays(1);

    private final Purges purges = new Purges();

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void deleteKeys() {
        interference.with(purges);
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
    }

    @AfterEach
    void end() throws Exception {
        if (purges.current != null) {
            purges.current.end();
        }
        awaitEnd();
        interference.none();
    }

    /** Waits for the purge's threads. Otherwise the next test would count a purge that is still running. */
    private void awaitEnd() throws InterruptedException {
        for (Thread each : purges.threads) {
            each.join(20_000);
            assertThat(each.isAlive()).isFalse();
        }
    }

    /** Counts the batches, and calls a hook after each batch. */
    private static final class Purges implements Interference.Around {
        private final AtomicInteger begun = new AtomicInteger();
        private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        private volatile After after = () -> {};
        private @Nullable Purge current;

        @Override
        public void before(String sql, Connection connection) {
            threads.add(Thread.currentThread());
            begun.incrementAndGet();
        }

        @Override
        public void after(String sql, Connection connection) throws SQLException {
            after.purged();
        }
    }

    private interface After {
        void purged() throws SQLException;
    }

    private Purge purge(Duration interval) {
        Purge purge = new Purge("Purging idempotency keys", store::purge, interval, new Jobs(new Loops()));
        purges.current = purge;
        return purge;
    }

    @Test
    void aPurgeBeginsImmediatelyAndRemovesAllExpiredKeysInBatches() {
        oldKeys(2_500);

        purge(NEVER_AGAIN).begin();

        await().until(() -> rows() == 0);
        await().until(() -> purges.begun.get() == 3);
    }

    @Test
    void aKeyThatExpiresLaterIsRemovedByALaterPurge() {
        purge(Duration.ofMillis(20)).begin();
        await().until(() -> purges.begun.get() > 1);
        oldKeys(1);

        await().until(() -> rows() == 0);
    }

    @Test
    void aFailureIsLoggedAndDoesNotEndThePurge(CapturedOutput output) {
        oldKeys(1);
        AtomicInteger failures = new AtomicInteger();
        purges.after = () -> {
            switch (failures.incrementAndGet()) {
                case 1 -> throw new SQLException("not now", "57014");
                case 2 -> throw new AssertionError("nor now");
                default -> {}
            }
        };

        purge(Duration.ofMillis(20)).begin();

        await().until(() -> failures.get() > 3);
        assertThat(output.getAll().split("Purging idempotency keys failed", -1)).hasSize(3);
        assertThat(purges.threads).hasSize(1);
    }

    /** The application may be stopped while it removes a million keys. */
    @Test
    void noBatchBeginsAfterThePurgeHasEnded() throws Exception {
        oldKeys(2_500);
        CountDownLatch ended = new CountDownLatch(1);
        Purge purge = purge(Duration.ofMillis(20));
        purges.after = () -> {
            purge.end();
            ended.countDown();
        };

        purge.begin();

        assertThat(ended.await(20, SECONDS)).isTrue();
        awaitEnd();
        assertThat(purges.threads).singleElement().matches(Thread::isDaemon);
        assertThat(purges.begun).hasValue(1);
        assertThat(rows()).isEqualTo(1_500);
    }

    /** The pool may be closed while a purge runs. */
    @Test
    void aFailureAfterTheEndOfThePurgeIsNotLogged(CapturedOutput output) throws Exception {
        Purge purge = purge(NEVER_AGAIN);
        purges.after = () -> {
            purge.end();
            throw Interference.connectionLost();
        };

        purge.begin();

        await().until(() -> purges.begun.get() == 1);
        awaitEnd();
        assertThat(output.getAll()).doesNotContain("Purging idempotency keys failed");
    }

    @Test
    void beginningAPurgeTwiceStartsNoSecondThread() {
        CountDownLatch mayEnd = new CountDownLatch(1);
        purges.after = () -> awaitOrFail(mayEnd);
        Purge purge = purge(NEVER_AGAIN);

        purge.begin();
        await().until(() -> purges.begun.get() == 1);
        purge.begin();

        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(each -> each.getName().startsWith("saga-jobs"))
                .containsExactlyElementsOf(purges.threads);
        mayEnd.countDown();
    }

    /** An application may be stopped and started again. */
    @Test
    void aPurgeCanBeginAgainAfterItsEnd() {
        Purge purge = purge(NEVER_AGAIN);
        purge.begin();
        await().until(() -> purges.begun.get() == 1);
        purge.end();
        oldKeys(1);

        purge.begin();

        await().until(() -> rows() == 0);
    }

    /** All nodes of a roll-out begin at about the same time. With equal pauses, their purges would always overlap. */
    @Test
    void nodesPauseForDifferentTimesBetweenPurges() {
        Set<Long> pauses = ConcurrentHashMap.newKeySet();
        for (int node = 0; node < 100; node++) {
            long pause = purge(Duration.ofMinutes(10)).pause().toSeconds();
            assertThat(pause).isBetween(300L, 900L);
            pauses.add(pause);
        }
        assertThat(pauses).hasSizeGreaterThan(10);
    }

    private static void awaitOrFail(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static void oldKeys(int number) {
        jdbc.sql("""
                        INSERT INTO saga_idempotency_key (id, owner, account, request_id, operation, attempt, token, node,
                            claimed_at, expires_at, format)
                        SELECT decode(lpad(to_hex(n), 64, '0'), 'hex'), '-', '-', n, 'pay', gen_random_uuid(), n, 'node',
                            now(), now() - INTERVAL '1 second', 'json'
                        FROM generate_series(1, ?) AS n""").param(number).update();
    }

    private static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }
}
