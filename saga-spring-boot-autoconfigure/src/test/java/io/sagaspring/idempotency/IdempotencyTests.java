package io.sagaspring.idempotency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Ticks;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.schema.SchemaInstaller;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.BeanUtils;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Check, claim, complete in two commits: what is done for a key, and what is replied to it. */
@ExpectsErrors("cannot be replayed")
class IdempotencyTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final AtomicInteger opened = new AtomicInteger();
    private static final DataSource connections = new DelegatingDataSource(database.dataSource()) {
        @Override
        public Connection getConnection() throws SQLException {
            opened.incrementAndGet();
            return super.getConnection();
        }
    };
    private static final SagaSchema schema = new SchemaInstaller(connections, null).migrate();
    private static final JdbcClient jdbc = JdbcClient.create(connections);
    private static final KeySettings SETTINGS = new KeySettings(
            Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ofMillis(200));
    private static final IdempotencyKey KEY =
            IdempotencyKey.of("pay", "request-1").ownedBy("ada").onAccount("7");

    private final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), Ticks.OF_THIS_MACHINE);
    private final KeyStore store = new KeyStore(schema, "node", new OwnTransactions(connections), SETTINGS, List.of());
    private final IdempotencyKeys keys = new IdempotencyKeys(store, keeper);
    private final Idempotency idempotency = new Idempotency(
            keys,
            new TransactionalKeys(store, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
            new JsonPayloadCodec(1_000));
    private final AtomicInteger done = new AtomicInteger();

    record Receipt(String number, int cents) {}

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void nothingIsKnown() {
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
    }

    @AfterEach
    void stop() {
        keeper.close();
    }

    private Receipt pay() {
        return new Receipt("R-" + done.incrementAndGet(), 1200);
    }

    private Receipt payOnce(IdempotencyKey key) {
        return idempotency.execute(key, Receipt.class, this::pay);
    }

    @Test
    void whatIsAskedForTwiceIsDoneOnceAndRepliedTwice() {
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(done).hasValue(1);
    }

    @Test
    void typesWithArgumentsAreReadBack() {
        var type = new ParameterizedTypeReference<Map<String, List<Receipt>>>() {};

        var first = idempotency.execute(KEY, type, () -> Map.of("all", List.of(pay())));
        var second = idempotency.execute(KEY, type, () -> Map.of("all", List.of(pay())));

        assertThat(second).isEqualTo(first);
        assertThat(second.get("all")).singleElement().isInstanceOf(Receipt.class);
    }

    @Test
    void nothingIsRepliedAsNothing() {
        Work<@Nullable Receipt, RuntimeException> work = () -> {
            pay();
            return null;
        };

        assertThat(idempotency.execute(KEY, (Type) Receipt.class, work)).isNull();
        assertThat(idempotency.execute(KEY, (Type) Receipt.class, work)).isNull();
        assertThat(done).hasValue(1);
    }

    @Test
    void everyPartOfAKeyCounts() {
        for (IdempotencyKey key : List.of(
                KEY,
                KEY.ownedBy("bob"),
                KEY.onAccount("8"),
                IdempotencyKey.of("refund", "request-1").ownedBy("ada").onAccount("7"),
                IdempotencyKey.of("pay", "request-2").ownedBy("ada").onAccount("7"))) {
            payOnce(key);
        }

        assertThat(done).hasValue(5);
    }

    @Test
    void anOperationThatChangesItsAccountIsFoundWithAnyAccountOfItsOwner() {
        IdempotencyKey reset =
                IdempotencyKey.of("reset", "request-1").ownedBy("ada").changingAccount();

        assertThat(payOnce(reset.onAccount("7"))).isEqualTo(payOnce(reset.onAccount("8")));
        payOnce(reset.onAccount("7").ownedBy("bob"));

        assertThat(done).hasValue(2);
        assertThat(jdbc.sql("SELECT account FROM saga_idempotency_key WHERE owner = 'ada'")
                        .query(String.class)
                        .list())
                .containsExactly("7");
    }

    @Test
    void whatIsThrownReachesTheCallerAndFreesTheKey() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> idempotency.execute(KEY, Receipt.class, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(rows()).isZero();
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    @Test
    void aFailureThatIsReturnedFreesTheKey() {
        Idempotency judging = idempotency.unless(result -> result instanceof Receipt receipt && receipt.cents() == 0);

        assertThat(judging.execute(KEY, Receipt.class, () -> new Receipt("declined", 0)))
                .isEqualTo(new Receipt("declined", 0));
        assertThat(judging.execute(KEY, Receipt.class, this::pay)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    /** The work has taken effect: what fails afterwards must not have it done again. */
    @Test
    void aResultThatCannotBeJudgedIsNotDoneAgain() {
        assertThatThrownBy(() -> idempotency
                        .unless(result -> {
                            throw new IllegalStateException("no idea");
                        })
                        .execute(KEY, Receipt.class, this::pay))
                .hasMessage("no idea");

        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }

    @Test
    @ExpectsErrors("cannot be replayed")
    void aReplyThatCannotBeStoredIsReturnedAndNotDoneAgain() {
        Receipt large = new Receipt("R".repeat(2_000), 1);
        Work<Receipt, RuntimeException> work = () -> {
            pay();
            return large;
        };

        assertThat(idempotency.execute(KEY, Receipt.class, work)).isEqualTo(large);
        assertThatExceptionOfType(ReplyNotKeptException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Receipt.class, work))
                .withMessageContaining("1000 are allowed");
        assertThat(done).hasValue(1);
    }

    interface Vague {}

    record Certain(String text) implements Vague {}

    @Test
    @ExpectsErrors("cannot be replayed")
    void aReplyThatCouldNotBeReadBackIsReturnedAndNotDoneAgain() {
        Work<Vague, RuntimeException> work = () -> {
            pay();
            return new Certain("paid");
        };

        assertThat(idempotency.execute(KEY, Vague.class, work)).isEqualTo(new Certain("paid"));
        assertThatExceptionOfType(ReplyNotKeptException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Vague.class, work))
                .withMessageContaining(Vague.class.getName());
        assertThat(done).hasValue(1);
    }

    @Test
    void aReplyThatCouldNotBeReadBackRollsBackItsTransaction() {
        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> idempotency.inTransaction().execute(KEY, Vague.class, () -> new Certain("paid")));
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    /** Red where the reason is stored as it is: the work was done, and its claim would be free when its lease is over. */
    @Test
    void aReplyThatCannotBeStoredIsNotDoneAgainWhateverTheReasonSays() {
        ((Check.New) keys.check(KEY)).claim().complete(Reply.notKept("a \0 in it"));

        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
    }

    @Test
    void withoutARequestIdItIsSimplyDone() {
        IdempotencyKey none = IdempotencyKey.of("pay", null);
        int before = opened.get();

        payOnce(none);
        payOnce(none);

        assertThat(done).hasValue(2);
        assertThat(((Check.New) keys.check(none)).claim()).isSameAs(KeyClaim.none());
        assertThat(opened).hasValue(before);
    }

    @Test
    void whileItIsWorkedOnARepetitionIsRefusedAndToldWhenToAskAgain() {
        idempotency.execute(KEY, Receipt.class, () -> {
            assertThatExceptionOfType(DuplicateRequestException.class)
                    .isThrownBy(() -> payOnce(KEY))
                    .satisfies(refused -> assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(5)));
            return pay();
        });

        assertThat(done).hasValue(1);
    }

    @Test
    void whoWaitsIsRepliedWhatTheOtherHasDone() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Receipt> first = OwnThread.call(() -> idempotency.execute(KEY, Receipt.class, () -> {
            begun.countDown();
            await(mayEnd);
            return pay();
        }));
        await(begun);
        CompletableFuture<Receipt> second =
                OwnThread.call(() -> idempotency.waiting(Duration.ofMinutes(1)).execute(KEY, Receipt.class, this::pay));

        mayEnd.countDown();

        assertThat(second.get(20, SECONDS)).isEqualTo(first.get(20, SECONDS));
        assertThat(done).hasValue(1);
    }

    /** A waiter that loses its patience must leave the claim alone, or the work would be done twice at once. */
    @Test
    void whoHasWaitedEnoughChangesNothing() {
        idempotency.execute(KEY, Receipt.class, () -> {
            assertThatExceptionOfType(DuplicateRequestException.class)
                    .isThrownBy(
                            () -> idempotency.waiting(Duration.ofMillis(60)).execute(KEY, Receipt.class, this::pay));
            assertThat(rows()).isOne();
            return pay();
        });

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    @Test
    void anotherRequestWithTheSameKeyIsRefused() {
        payOnce(KEY.about(Fingerprint.of("1200")));

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> payOnce(KEY.about(Fingerprint.of("9900"))));
        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }

    @Test
    void anotherRequestIsRefusedAlsoWhileTheFirstIsWorkedOnAndAfterItsCrash() {
        IdempotencyKey key = KEY.about(Fingerprint.of("1200"));
        keys.check(key);

        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> payOnce(KEY));
        silence("31 seconds");
        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(payOnce(key)).isEqualTo(new Receipt("R-1", 1200));
    }

    @Test
    void theClaimOfACrashIsTakenOverAfterItsLeaseAndItsOwnerIsFencedOff() {
        KeyClaim crashed = ((Check.New) keys.check(KEY)).claim();
        silence("29 seconds");
        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(() -> payOnce(KEY))
                .satisfies(refused -> assertThat(refused.retryAfter()).isEqualTo(Duration.ofSeconds(1)));
        silence("31 seconds");

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThatExceptionOfType(SupersededException.class)
                .isThrownBy(() -> crashed.complete(new Reply("json", null, new byte[0])));
        crashed.fail();
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(done).hasValue(1);
    }

    @Test
    void whatLastsLongIsKeptAliveAndNotTakenOver() {
        idempotency.execute(KEY, Receipt.class, () -> {
            silence("29 seconds");
            keeper.beat();
            assertThat(leaseLeft()).isGreaterThan(25);
            return pay();
        });

        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void whoseClaimWasTakenOverIsInterrupted() {
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Receipt.class, () -> {
                    silence("31 seconds");
                    keys.check(KEY);
                    keeper.beat();
                    Thread.sleep(20_000);
                    return pay();
                }));
        assertThat(rows()).isOne();
        assertThat(done).hasValue(0);
    }

    @Test
    void whatIsTooOldCountsAsAbsentBeforeItIsPurged() {
        payOnce(KEY.about(Fingerprint.of("1200")));
        age("24 hours 1 second");

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-2", 1200));
    }

    @Test
    void whatIsTooOldIsPurgedAndWhatIsWorkedOnNever() {
        payOnce(KEY);
        payOnce(KEY.onAccount("8"));
        keys.check(KEY.onAccount("9"));
        keys.check(KEY.onAccount("10"));
        jdbc.sql("UPDATE saga_idempotency_key SET expires_at = now() - INTERVAL '1 second' WHERE account <> '7'")
                .update();
        jdbc.sql("UPDATE saga_idempotency_key SET lease_until = now() - INTERVAL '1 second' WHERE account = '10'")
                .update();

        assertThat(store.purge(1)).isOne();
        assertThat(store.purge(10)).isOne();
        assertThat(jdbc.sql("SELECT account FROM saga_idempotency_key ORDER BY account")
                        .query(String.class)
                        .list())
                .containsExactly("7", "9");
    }

    @Test
    void insideATransactionItIsRefusedBecauseThatMayBeRolledBack() {
        var transaction = new TransactionTemplate(new DataSourceTransactionManager(connections));

        assertThatExceptionOfType(InsideTransactionException.class)
                .isThrownBy(() -> transaction.execute(status -> payOnce(KEY)))
                .withMessageContaining("sameTransaction = true");
        assertThat(rows()).isZero();
    }

    @Test
    void aKeyThatIsCompletedCanNoLongerBeGivenUp() {
        KeyClaim claim = ((Check.New) keys.check(KEY)).claim();
        claim.complete(new Reply("json", null, null));

        claim.fail();

        assertThat(keys.check(KEY)).isInstanceOf(Check.Completed.class);
    }

    /** What a crash has left about something else is kept as long as a reply would be, and not for ever. */
    @Test
    void whatACrashHasLeftIsFreeForEverythingWhenItIsTooOld() {
        keys.check(KEY.about(Fingerprint.of("1200")));
        silence("31 seconds");
        age("24 hours 1 second");

        assertThat(payOnce(KEY.about(Fingerprint.of("9900")))).isEqualTo(new Receipt("R-1", 1200));
    }

    /** Repetitions may be many, and must neither wait for a lock nor wear the sequence of tokens. */
    @Test
    void aRepetitionWritesNothing() {
        payOnce(KEY);
        String before = versions();

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));

        assertThat(versions()).isEqualTo(before);
    }

    /** Nothing of the request that had the key before is left: no part of it, and not its reply. */
    @Test
    void whatIsTooOldIsReplacedAsAWhole() {
        IdempotencyKey key = KEY.changingAccount();
        keys.check(key.about(Fingerprint.of("1200")));
        jdbc.sql("""
                        UPDATE saga_idempotency_key SET lease_until = NULL, format = 'old', head = 'old', body = 'old',
                            claimed_at = claimed_at - INTERVAL '25 hours', expires_at = expires_at - INTERVAL '25 hours'""").update();
        KeyStore other = new KeyStore(schema, "other", new OwnTransactions(connections), SETTINGS, List.of());

        KeyClaim claim = ((Check.New) new IdempotencyKeys(other, keeper)
                        .check(key.onAccount("8").about(Fingerprint.of("9900"))))
                .claim();

        assertThat(jdbc.sql("""
                        SELECT account, node, clock_timestamp() - claimed_at < INTERVAL '1 minute' AS young,
                            expires_at - claimed_at BETWEEN INTERVAL '23:59' AND INTERVAL '24:01' AS lasting,
                            fingerprint, format, head, body FROM saga_idempotency_key""").query().singleRow())
                .containsEntry("account", "8")
                .containsEntry("node", "other")
                .containsEntry("young", true)
                .containsEntry("lasting", true)
                .containsEntry("fingerprint", Fingerprint.of("9900").bytes())
                .containsEntry("format", null)
                .containsEntry("head", null)
                .containsEntry("body", null);
        assertThat(leaseLeft()).isBetween(25, 30);
        claim.complete(new Reply("json", null, null));
        assertThat(keys.check(key.about(Fingerprint.of("9900")))).isInstanceOf(Check.Completed.class);
    }

    @Test
    void whatAnotherPurgeHasInHandIsPassedOver() throws Exception {
        payOnce(KEY);
        payOnce(KEY.onAccount("8"));
        age("24 hours 1 second");
        try (Connection other = connections.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM saga_idempotency_key WHERE account = '7' FOR UPDATE");

            assertThat(OwnThread.call(() -> store.purge(10)).get(20, SECONDS)).isOne();

            other.rollback();
        }
        assertThat(rows()).isOne();
    }

    /** Its renewal must not turn a reply into a claim, nor keep alive what is somebody else's by now. */
    @Test
    void onlyWhatIsStillClaimedByTheSameTokenIsRenewed() {
        keys.check(KEY);
        keys.check(KEY.onAccount("8"));
        KeyClaim open = ((Check.New) keys.check(KEY.onAccount("9"))).claim();
        jdbc.sql("UPDATE saga_idempotency_key SET lease_until = NULL WHERE account = '7'")
                .update();
        jdbc.sql("UPDATE saga_idempotency_key SET token = nextval('saga_token') WHERE account = '8'")
                .update();
        silence("29 seconds", "account <> '7'");

        keeper.beat();

        assertThat(jdbc.sql("""
                        SELECT account FROM saga_idempotency_key
                        WHERE lease_until > clock_timestamp() + INTERVAL '20 seconds'""").query(String.class).list()).containsExactly("9");
        assertThat(jdbc.sql("SELECT account FROM saga_idempotency_key WHERE lease_until IS NULL")
                        .query(String.class)
                        .list())
                .containsExactly("7");
        open.fail();
    }

    /** A row that somebody has locked must not keep the others from being renewed. */
    @Test
    void whatIsLockedDoesNotDelayTheRenewalOfTheRestAndCountsAsKept() throws Exception {
        KeyClaim locked = ((Check.New) keys.check(KEY)).claim();
        keys.check(KEY.onAccount("8"));
        silence("29 seconds");
        try (Connection other = connections.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM saga_idempotency_key WHERE account = '7' FOR UPDATE");

            OwnThread.run(keeper::beat).get(20, SECONDS);

            assertThat(jdbc.sql("""
                            SELECT account FROM saga_idempotency_key
                            WHERE lease_until > clock_timestamp() + INTERVAL '20 seconds'""").query(String.class).list()).containsExactly("8");
            assertThat(keeper.trouble()).isNull();
            other.rollback();
        }
        assertThat(locked.during(() -> "went on")).isEqualTo("went on");
    }

    @Test
    void alsoAnErrorReachesTheCallerAndFreesTheKey() {
        AssertionError thrown = new AssertionError("broken");

        assertThatThrownBy(() -> idempotency.execute(KEY, Receipt.class, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(rows()).isZero();
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void alsoWhatAnErrorKeepsFromBeingJudgedIsNotDoneAgain() {
        assertThatThrownBy(() -> idempotency
                        .unless(result -> {
                            throw new AssertionError("no idea");
                        })
                        .execute(KEY, Receipt.class, this::pay))
                .hasMessage("no idea");

        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }

    /** Else a codec would read what it has not written, and might succeed. */
    @Test
    void aReplyOfAnotherFormatIsNotRead() {
        payOnce(KEY);
        jdbc.sql("UPDATE saga_idempotency_key SET format = 'xml'").update();

        assertThatExceptionOfType(PayloadException.class)
                .isThrownBy(() -> payOnce(KEY))
                .withMessageContaining("was written as 'xml'");
        assertThat(done).hasValue(1);
    }

    @Test
    void whoIsInterruptedWhileItWaitsIsRefusedAndStaysInterrupted() {
        keys.check(KEY);
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(() -> idempotency.waiting(Duration.ofSeconds(20)).execute(KEY, Receipt.class, this::pay));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(done).hasValue(0);
    }

    /** By variations in any order. */
    @Test
    void whatATemplateWasToldItKeeps() {
        for (Idempotency each : List.of(
                idempotency.inTransaction().waiting(Duration.ofSeconds(1)).unless(result -> true),
                idempotency
                        .unless(result -> true)
                        .waiting(Duration.ofSeconds(1))
                        .inTransaction(),
                idempotency
                        .waiting(Duration.ofSeconds(1))
                        .unless(result -> true)
                        .inTransaction())) {
            assertThat(each.execute(KEY, Boolean.class, TransactionSynchronizationManager::isActualTransactionActive))
                    .isTrue();
            assertThat(rows()).isZero();
        }
        keys.check(KEY);
        Duration patience = Duration.ofMillis(300);
        for (Idempotency each : List.of(
                idempotency.waiting(patience).unless(result -> true),
                idempotency.unless(result -> true).waiting(patience))) {
            long before = System.nanoTime();
            assertThatExceptionOfType(DuplicateRequestException.class)
                    .isThrownBy(() -> each.execute(KEY, Receipt.class, this::pay));
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(patience);
        }
    }

    /** Tokens come from a sequence, whose name is a text within the statement. */
    @Test
    void theSchemaMayHaveAnyName() {
        jdbc.sql("CREATE SCHEMA \"ada's \"\"own\"\"\"").update();
        DataSource there = new DelegatingDataSource(connections) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                connection.setSchema("ada's \"own\"");
                return connection;
            }
        };
        SagaSchema other = new SchemaInstaller(there, null).migrate();
        IdempotencyKeys elsewhere = new IdempotencyKeys(
                new KeyStore(other, "node", new OwnTransactions(there), SETTINGS, List.of()), keeper);

        assertThat(other.name()).isEqualTo("ada's \"own\"");
        assertThat(elsewhere.check(KEY)).isInstanceOf(Check.New.class);
        assertThat(elsewhere.check(KEY)).isInstanceOf(Check.Processing.class);
    }

    private static String versions() {
        return jdbc.sql(
                        "SELECT k.xmin::text, k.xmax::text, k.ctid::text, last_value FROM saga_idempotency_key AS k, saga_token")
                .query()
                .listOfRows()
                .toString();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static int rows() {
        return jdbc.sql("SELECT count(*) FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }

    private static int leaseLeft() {
        return jdbc.sql("SELECT extract(epoch FROM lease_until - clock_timestamp())::int FROM saga_idempotency_key")
                .query(Integer.class)
                .single();
    }

    /** As if nobody had been heard of for so long. */
    private static void silence(String interval) {
        silence(interval, "true");
    }

    private static void silence(String interval, String which) {
        jdbc.sql(
                        "UPDATE saga_idempotency_key SET lease_until = claimed_at + INTERVAL '30 seconds' - INTERVAL '%s' WHERE %s"
                                .formatted(interval, which))
                .update();
    }

    private static void age(String interval) {
        jdbc.sql("UPDATE saga_idempotency_key SET expires_at = expires_at - INTERVAL '%s'".formatted(interval))
                .update();
    }

    @Test
    void whatNobodyCanTellIsNotRepeatedBlindly() {
        Work<String, RuntimeException> work = () -> {
            done.incrementAndGet();
            throw new IllegalStateException(new OutcomeUnknownException("The payment", new SQLException("no answer")));
        };

        assertThatIllegalStateException().isThrownBy(() -> idempotency.execute(KEY, String.class, work));
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> idempotency.execute(KEY, String.class, work))
                .withMessageStartingWith("An earlier request under the key for 'pay'");
        assertThat(done).hasValue(1);
    }

    /** However a codec fails, the work is done, and nobody is to wait for its maximum. */
    @ParameterizedTest
    @ValueSource(classes = {IllegalArgumentException.class, StackOverflowError.class})
    void aReplyThatCannotBeWrittenEndsTheClaimAllTheSame(Class<? extends Throwable> kind) {
        PayloadCodec broken = new PayloadCodec() {
            @Override
            public String format() {
                return "broken";
            }

            @Override
            public byte[] write(@Nullable Object value) {
                Throwable thrown = BeanUtils.instantiateClass(kind);
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) thrown;
            }

            @Override
            public @Nullable Object read(byte[] bytes, Type type) {
                return null;
            }
        };
        Idempotency unable = new Idempotency(
                keys,
                new TransactionalKeys(store, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
                broken);
        try {
            assertThat(unable.execute(KEY, Receipt.class, this::pay)).isEqualTo(new Receipt("R-1", 1200));
        } catch (Error passedOn) {
            assertThat(passedOn).isInstanceOf(kind);
        }

        assertThat(keeper.holds()).isEmpty();
        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }

    /** Half of a character has no bytes: what differs in it alone would be one key. */
    @Test
    void halvesOfCharactersAreRefused() {
        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> KEY.onAccount("a\uD800"))
                .withMessage("The account of an idempotency key is no valid Unicode.");
        assertThat(KEY.onAccount("a\uD83D\uDE00").account()).isEqualTo("a😀");
    }

    @Test
    void whoWorksInOneTransactionIsNotWaitedForWithoutEnd() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Receipt> first =
                OwnThread.call(() -> idempotency.inTransaction().execute(KEY, Receipt.class, () -> {
                    arrived.countDown();
                    await(released);
                    return pay();
                }));
        assertThat(arrived.await(20, SECONDS)).isTrue();

        assertThatExceptionOfType(DuplicateRequestException.class).isThrownBy(() -> payOnce(KEY));
        released.countDown();
        assertThat(first.get(20, SECONDS)).isEqualTo(payOnce(KEY));
        assertThat(done).hasValue(1);
    }
}
