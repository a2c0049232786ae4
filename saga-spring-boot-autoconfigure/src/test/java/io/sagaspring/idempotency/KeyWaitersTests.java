package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Repeated requests that wait for a key's transaction leave connections to other callers. */
class KeyWaitersTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final SagaSchema schema = SagaSchema.migrate(database.dataSource(), null);
    private static final Keeper keeper =
            new Keeper(database.dataSource(), Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);
    private static final int POOL = 4;
    private static final HikariDataSource pool = pool();
    private static final TransactionTemplate transaction =
            new TransactionTemplate(new DataSourceTransactionManager(pool));

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final AtomicInteger done = new AtomicInteger();

    private static HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(3_000);
        return new HikariDataSource(config);
    }

    @AfterAll
    static void close() {
        pool.close();
        database.close();
    }

    @BeforeEach
    void deleteKeys() {
        JdbcClient.create(database.dataSource())
                .sql("DELETE FROM saga_idempotency_key")
                .update();
    }

    @AfterEach
    void releaseWaiters() {
        mayEnd.countDown();
        Awaitility.await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    /** Creates another node, which does not know the callers of the first node. */
    private static Idempotency node(Duration patience, int waiters) {
        KeySettings settings =
                new KeySettings(Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), patience);
        KeyStore store = new KeyStore(schema, "node", new OwnTransactions(pool), settings, List.of());
        return new Idempotency(
                        new IdempotencyKeys(store, keeper),
                        new TransactionalKeys(store, pool, () -> new DataSourceTransactionManager(pool), () -> waiters),
                        new JsonPayloadCodec(1_000))
                .inTransaction();
    }

    private int slow() {
        begun.countDown();
        await(mayEnd);
        return done.incrementAndGet();
    }

    private CompletableFuture<Integer> call(Idempotency node, String requestId) {
        return OwnThread.call(() -> node.execute(IdempotencyKey.of("credit", requestId), Integer.class, this::slow));
    }

    private static List<CompletableFuture<Integer>> times(int count, Supplier<CompletableFuture<Integer>> call) {
        return IntStream.range(0, count).mapToObj(each -> call.get()).toList();
    }

    @Test
    void duplicatesOfASlowRequestLeaveConnectionsInThePool() throws SQLException {
        Idempotency node = node(Duration.ofSeconds(30), 1);
        CompletableFuture<Integer> first = call(node, "r-1");
        await(begun);
        AtomicInteger waiting = new AtomicInteger();
        List<CompletableFuture<Integer>> repetitions = times(
                25,
                () -> OwnThread.call(() -> {
                    waiting.incrementAndGet();
                    return node.execute(IdempotencyKey.of("credit", "r-1"), Integer.class, this::slow);
                }));
        Awaitility.await().until(() -> waiting.get() == repetitions.size());

        try (Connection unrelated = pool.getConnection()) {
            assertThat(unrelated.isValid(1)).isTrue();
        }
        assertThat(repetitions).noneMatch(CompletableFuture::isDone);
        mayEnd.countDown();

        assertThat(first.orTimeout(20, SECONDS).join()).isEqualTo(1);
        assertThat(repetitions)
                .allSatisfy(
                        each -> assertThat(each.orTimeout(20, SECONDS).join()).isEqualTo(1));
        assertThat(done).hasValue(1);
    }

    @Test
    void aDuplicateIsRefusedWhenItsPatienceEnds() {
        Idempotency node = node(Duration.ofMillis(50), 1);
        CompletableFuture<Integer> unused = call(node, "r-1");
        await(begun);

        assertRefused(call(node, "r-1"));
    }

    /** Only one of the waiting callers executes the request. The others get its reply. */
    @Test
    void aWaitingCallerExecutesTheRequestAfterTheFirstCallerHasFailed() {
        Idempotency node = node(Duration.ofSeconds(30), 1);
        CompletableFuture<Integer> failing =
                OwnThread.call(() -> node.execute(IdempotencyKey.of("credit", "r-1"), Integer.class, () -> {
                    begun.countDown();
                    await(mayEnd);
                    throw new IllegalStateException("declined");
                }));
        await(begun);
        List<CompletableFuture<Integer>> waiting = times(3, () -> call(node, "r-1"));
        mayEnd.countDown();

        assertThatExceptionOfType(CompletionException.class).isThrownBy(failing::join);
        assertThat(waiting)
                .allSatisfy(
                        each -> assertThat(each.orTimeout(20, SECONDS).join()).isEqualTo(1));
    }

    /** Otherwise the nested call would wait for its own caller. */
    @Test
    void aNestedCallWithTheSameKeyIsRefused() {
        Idempotency node = node(Duration.ofSeconds(30), 1);
        IdempotencyKey key = IdempotencyKey.of("credit", "r-1");
        TransactionTemplate another = new TransactionTemplate(new DataSourceTransactionManager(pool));
        another.setPropagationBehavior(TransactionTemplate.PROPAGATION_NOT_SUPPORTED);
        AtomicReference<Throwable> within = new AtomicReference<>();

        node.execute(key, Integer.class, () -> {
            another.executeWithoutResult(status -> {
                try {
                    node.execute(key, Integer.class, () -> 1);
                } catch (DuplicateRequestException refused) {
                    within.set(refused);
                }
            });
            return 1;
        });

        assertThat(within.get()).isInstanceOf(DuplicateRequestException.class);
    }

    /** These callers hold a connection while they wait. */
    @Test
    void theNumberOfWaitersInsideTransactionsIsLimited() throws SQLException {
        Idempotency node = node(Duration.ofSeconds(30), 1);
        CompletableFuture<Integer> unused = call(node, "r-1");
        await(begun);
        Supplier<CompletableFuture<Integer>> joining = () -> OwnThread.call(() -> transaction.execute(
                status -> node.execute(IdempotencyKey.of("credit", "r-1"), Integer.class, this::slow)));
        CompletableFuture<Integer> waiting = joining.get();
        awaitWaiters(1);

        assertRefused(joining.get());
        try (Connection unrelated = pool.getConnection()) {
            assertThat(unrelated.isValid(1)).isTrue();
        }
        mayEnd.countDown();
        assertThat(waiting.orTimeout(20, SECONDS).join()).isEqualTo(1);
    }

    /**
     * A node learns only from the database that another node is executing a request. So a waiting caller holds a
     * connection.
     */
    @Test
    void theNumberOfWaitersForAnotherNodeIsLimited() {
        Idempotency one = node(Duration.ofSeconds(30), 1);
        Idempotency other = node(Duration.ofSeconds(30), 1);
        CompletableFuture<Integer> first = OwnThread.call(() -> transaction.execute(status -> {
            for (String key : List.of("r-1", "r-2")) {
                one.execute(IdempotencyKey.of("credit", key), Integer.class, done::incrementAndGet);
            }
            return slow();
        }));
        await(begun);
        CompletableFuture<Integer> waiting = call(other, "r-1");
        awaitWaiters(1);

        assertRefused(call(other, "r-2"));
        mayEnd.countDown();
        assertThat(first.orTimeout(20, SECONDS).join()).isEqualTo(3);
        assertThat(waiting.orTimeout(20, SECONDS).join()).isEqualTo(1);
    }

    private static void assertRefused(CompletableFuture<Integer> call) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> call.orTimeout(10, SECONDS).join())
                .havingCause()
                .isInstanceOfSatisfying(
                        DuplicateRequestException.class,
                        refused -> assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(1)));
    }

    private static void awaitWaiters(int count) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        Awaitility.await().until(() -> LockWaits.in(jdbc, "key.claim") == count);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
