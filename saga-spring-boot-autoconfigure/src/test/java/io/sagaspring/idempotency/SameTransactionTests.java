package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencedTransaction;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Claim, work and reply in one commit: the effect is there exactly when the reply is. */
class SameTransactionTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final DataSource repeatable =
            prepared(connection -> connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ));
    private static final SagaSchema schema = new SchemaInstaller(connections, null).migrate();
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final IdempotencyKey KEY = IdempotencyKey.of("credit", "request-1");
    private static final TransactionTemplate transaction =
            new TransactionTemplate(new DataSourceTransactionManager(connections));

    private final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void nothingIsKnown() {
        jdbc.sql("DROP TABLE IF EXISTS credit; CREATE TABLE credit (cents int)").update();
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
    }

    private Idempotency idempotency(Duration patience, DataSource keysOn, DataSource transactionsOn) {
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

    private Idempotency idempotency(DataSource on) {
        return idempotency(Duration.ofSeconds(20), on, on);
    }

    private Idempotency idempotency() {
        return idempotency(connections);
    }

    private static int credit(int cents) {
        jdbc.sql("INSERT INTO credit VALUES (?)").param(cents).update();
        return sum();
    }

    private int creditOnce(int cents) {
        return idempotency().execute(KEY, Integer.class, () -> credit(cents));
    }

    @Test
    void aRepeatedRequestIsExecutedOnceAndAnsweredTwice() {
        assertThat(creditOnce(500)).isEqualTo(500);
        assertThat(creditOnce(500)).isEqualTo(500);
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void anExceptionRollsEffectAndKeyBack() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    credit(500);
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    @Test
    void whatIsThrownReachesTheCallerAlsoIfItCannotBeRolledBack() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    assertThatThrownBy(() -> jdbc.sql("SELECT pg_terminate_backend(pg_backend_pid())")
                                    .query(Boolean.class)
                                    .single())
                            .isInstanceOf(DataAccessException.class);
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    /** Spring rolls nothing back here, and the connection would commit when it is in auto-commit mode again. */
    @Test
    void whatRefusesTheCommitTakesEffectAndClaimBack() {
        assertThatThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            throw new IllegalTransactionStateException("refused");
                        }
                    });
                    return credit(500);
                }))
                .hasMessage("refused");

        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
    }

    @Test
    void aFailureThatIsReturnedFreesTheKeyAndKeepsWhatWasWritten() {
        assertThat(idempotency().unless(result -> true).execute(KEY, Integer.class, () -> credit(500)))
                .isEqualTo(500);

        assertThat(rows()).isZero();
        assertThat(sum()).isEqualTo(500);
    }

    /** Nothing has been committed: here it can still be taken back. */
    @Test
    void aReplyThatCannotBeStoredTakesTheEffectBack() {
        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> idempotency().execute(KEY, String.class, () -> {
                    credit(500);
                    return "R".repeat(2_000);
                }));

        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
    }

    @Test
    void theCallersTransactionDecides() {
        transaction.executeWithoutResult(status -> {
            creditOnce(500);
            status.setRollbackOnly();
        });
        assertThat(sum()).isZero();
        assertThat(rows()).isZero();

        transaction.executeWithoutResult(status -> creditOnce(500));
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    @Test
    void withoutARequestIdItIsSimplyDone() {
        IdempotencyKey none = IdempotencyKey.of("credit", null);

        assertThat(idempotency().execute(none, Integer.class, () -> credit(500)))
                .isEqualTo(500);
        assertThat(idempotency().execute(none, Integer.class, () -> credit(500)))
                .isEqualTo(1_000);
        assertThat(rows()).isZero();
    }

    @Test
    void aDuplicateWaitsForTheCommitAndIsRepliedTheSame() throws Exception {
        Race race = new Race();
        CompletableFuture<Integer> second = race.whileFirstIsOpen(() -> creditOnce(500));

        assertThat(race.commit()).isEqualTo(500);
        assertThat(second.get(20, SECONDS)).isEqualTo(500);
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void aDuplicateOfWhatIsRolledBackIsDone() throws Exception {
        Race race = new Race();
        CompletableFuture<Integer> second = race.whileFirstIsOpen(() -> creditOnce(500));

        race.rollBack();
        assertThat(second.get(20, SECONDS)).isEqualTo(500);
        assertThat(sum()).isEqualTo(500);
    }

    @Test
    void aDuplicateThatHasWaitedEnoughIsRefused() throws Exception {
        Race race = new Race();
        CompletableFuture<Integer> second =
                race.whileFirstIsOpen(() -> idempotency(Duration.ofMillis(50), connections, connections)
                        .execute(KEY, Integer.class, () -> credit(500)));

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> second.get(20, SECONDS))
                .withCauseInstanceOf(DuplicateRequestException.class);
        race.commit();
        assertThat(sum()).isEqualTo(500);
    }

    /** The bound is for the claim alone: what the application's statements wait for is its own affair. */
    @Test
    void theLockTimeoutIsTheApplicationsAgainWhenItsWorkBegins() {
        transaction.executeWithoutResult(status -> {
            jdbc.sql("SET LOCAL lock_timeout = '7s'").update();
            idempotency().execute(KEY, Integer.class, () -> {
                assertThat(lockTimeout()).isEqualTo("7s");
                return 1;
            });
        });
        assertThat(idempotency().execute(KEY.onAccount("8"), String.class, SameTransactionTests::lockTimeout))
                .isEqualTo("0");
    }

    @Test
    void aClaimInTwoCommitsIsRespected() {
        KeySettings settings = new KeySettings(
                Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ofSeconds(1));
        KeyStore store = new KeyStore(schema, "other", new OwnTransactions(connections), settings, List.of());
        KeyClaim claim = ((KeyCheck.New) new IdempotencyKeys(store, keeper).check(KEY)).claim();

        assertThatExceptionOfType(DuplicateRequestException.class).isThrownBy(() -> creditOnce(500));
        claim.fail();
        assertThat(creditOnce(500)).isEqualTo(500);
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        creditOnce(500);

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() ->
                        idempotency().execute(KEY.about(Fingerprint.of("900")), Integer.class, () -> credit(900)));
    }

    @Test
    void insideAStepThatHasClaimedItIsRefused() {
        transaction.executeWithoutResult(status -> {
            FencedTransaction.begin();
            try {
                assertThatExceptionOfType(InsideStepException.class).isThrownBy(() -> creditOnce(500));
            } finally {
                FencedTransaction.end();
            }
        });
        assertThat(sum()).isZero();
    }

    @Test
    void aTransactionManagerOfAnotherDatabaseIsRefused() {
        try (TestDatabase other = TestDatabase.create()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> idempotency(Duration.ofSeconds(1), connections, other.dataSource())
                            .execute(KEY, Integer.class, () -> credit(500)))
                    .withMessageContaining("not one of the data source");
        }
        assertThat(sum()).isZero();
    }

    /** Where such a transaction has read saga's tables before, Spring keeps a connection for it that commits by itself. */
    @Test
    void aConnectionThatOnlyStandsBesideAnotherDatabasesTransactionIsRefused() {
        try (TestDatabase other = TestDatabase.create()) {
            DataSource elsewhere = other.dataSource();
            Idempotency beside = idempotency(Duration.ofSeconds(1), connections, elsewhere);
            new TransactionTemplate(new DataSourceTransactionManager(elsewhere)).executeWithoutResult(status -> {
                assertThat(sum()).isZero();
                assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(() -> beside.execute(KEY, Integer.class, () -> credit(500)))
                        .withMessageContaining("not one of the data source");
                status.setRollbackOnly();
            });
        }
        assertThat(sum()).isZero();
        assertThat(rows()).isZero();
    }

    /** A pool without auto-commit gives connections that look like a transaction's, and nobody would commit them. */
    @Test
    void aConnectionOfNoTransactionIsRefusedAlsoWhereItDoesNotCommitByItself() {
        DataSource manual = prepared(connection -> connection.setAutoCommit(false));
        try (TestDatabase other = TestDatabase.create()) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> idempotency(Duration.ofSeconds(1), manual, other.dataSource())
                            .execute(KEY, Integer.class, () -> credit(500)))
                    .withMessageContaining("not one of the data source");
        }
        assertThat(sum()).isZero();
    }

    /** A transaction may be older than what decides about the key: the database's clock is asked, not its beginning. */
    @Test
    void aKeyThatExpiresDuringTheTransactionCountsAsAbsent() throws Exception {
        creditOnce(500);

        assertThat(OwnThread.call(() -> transaction.execute(status -> {
                            assertThat(sum()).isEqualTo(500);
                            aside(() -> jdbc.sql("UPDATE saga_idempotency_key SET expires_at = clock_timestamp()")
                                    .update());
                            return creditOnce(900);
                        }))
                        .get(20, SECONDS))
                .isEqualTo(1_400);
    }

    @Test
    void aClaimThatIsGoneTakesTheEffectBack() {
        assertThatExceptionOfType(SupersededException.class)
                .isThrownBy(() -> idempotency().execute(KEY, Integer.class, () -> {
                    jdbc.sql("DELETE FROM saga_idempotency_key").update();
                    return credit(500);
                }));

        assertThat(sum()).isZero();
    }

    /** The work is the application's, and so is what it may see. */
    @Test
    void aTransactionOfItsOwnHasTheIsolationThatConnectionsPrefer() {
        assertThat(idempotency(repeatable).execute(KEY, String.class, SameTransactionTests::isolation))
                .isEqualTo("repeatable read");
    }

    @Test
    void aTransactionOfTheCallersKeepsItsIsolation() {
        new TransactionTemplate(new DataSourceTransactionManager(repeatable)).executeWithoutResult(status -> {
            assertThat(isolation()).isEqualTo("repeatable read");
            assertThat(idempotency(repeatable).execute(KEY, String.class, SameTransactionTests::isolation))
                    .isEqualTo("repeatable read");
        });
    }

    /** Its snapshot is too old for the reply, and its next try will have a new one. */
    @Test
    void aTransactionOfTheCallersThatCannotSeeTheFirstFailsAndDoesNothing() {
        TransactionTemplate old = new TransactionTemplate(new DataSourceTransactionManager(repeatable));

        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(() -> old.executeWithoutResult(status -> {
                    assertThat(isolation()).isEqualTo("repeatable read");
                    aside(() -> creditOnce(500));
                    idempotency(repeatable).execute(KEY, Integer.class, () -> credit(900));
                }));
        assertThat(sum()).isEqualTo(500);
    }

    private static DataSource prepared(Preparation preparation) {
        return new DelegatingDataSource(connections) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                preparation.of(connection);
                return connection;
            }
        };
    }

    private interface Preparation {
        void of(Connection connection) throws SQLException;
    }

    /** On a connection that is none of the current transaction's. */
    private static void aside(Runnable work) {
        OwnThread.run(work).orTimeout(20, SECONDS).join();
    }

    private static String isolation() {
        return JdbcClient.create(repeatable)
                .sql("SELECT current_setting('transaction_isolation')")
                .query(String.class)
                .single();
    }

    /** The first request, in a transaction that the test ends. */
    private final class Race {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private boolean rollsBack;
        private final CompletableFuture<Integer> first = OwnThread.call(() -> transaction.execute(status -> {
            int result = creditOnce(500);
            begun.countDown();
            await(mayEnd);
            if (rollsBack) {
                status.setRollbackOnly();
            }
            return result;
        }));

        CompletableFuture<Integer> whileFirstIsOpen(Supplier<Integer> duplicate) {
            await(begun);
            CompletableFuture<Integer> second = OwnThread.call(duplicate);
            awaitWaiter(second);
            return second;
        }

        int commit() throws Exception {
            mayEnd.countDown();
            return first.get(20, SECONDS);
        }

        void rollBack() throws Exception {
            rollsBack = true;
            commit();
        }
    }

    private static void awaitWaiter(CompletableFuture<?> second) {
        Awaitility.await().until(() -> second.isDone() || LockWaits.in(jdbc, "key.claim") > 0);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static String lockTimeout() {
        return jdbc.sql("SHOW lock_timeout").query(String.class).single();
    }

    private static int sum() {
        return jdbc.sql("SELECT coalesce(sum(cents), 0) FROM credit")
                .query(Integer.class)
                .single();
    }

    private static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }
}
