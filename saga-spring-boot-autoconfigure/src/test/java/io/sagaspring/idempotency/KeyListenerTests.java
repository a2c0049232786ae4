package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners are notified of each change of a key after the change, in the order of the changes. */
class KeyListenerTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "request-1");
    private static final IdempotencyKey OTHER = KEY.about(Fingerprint.of("another request"));

    private final Keeper keeper = new Keeper(connections, Duration.ofSeconds(10), ElapsedClock.OF_THIS_MACHINE);
    private final List<KeyEvent> events = new ArrayList<>();
    private final KeyListener failing = (key, event) -> {
        throw new IllegalStateException("no listener should matter");
    };
    private final KeyStore store = new KeyStore(
            schema,
            "node",
            new OwnTransactions(connections),
            new KeySettings(Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ZERO),
            List.of(failing, (key, event) -> events.add(event)));
    private final IdempotencyKeys keys = new IdempotencyKeys(store, keeper);
    private final DataSourceTransactionManager transactions = new DataSourceTransactionManager(connections);
    private final Idempotency idempotency = new Idempotency(
            keys, new TransactionalKeys(store, connections, () -> transactions, () -> 2), new JsonPayloadCodec(1_000));

    enum Mode {
        TWO_COMMITS,
        SAME_TRANSACTION
    }

    private Idempotency in(Mode mode) {
        return mode == Mode.TWO_COMMITS ? idempotency : idempotency.inTransaction();
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void deleteKeys() {
        JdbcClient.create(connections).sql("DELETE FROM saga_idempotency_key").update();
    }

    @AfterEach
    void stop() {
        keeper.close();
    }

    @ParameterizedTest
    @EnumSource
    void listenersAreNotifiedOfCompletionReplayAndReuse(Mode mode) {
        assertThat(in(mode).execute(KEY, String.class, () -> "paid")).isEqualTo("paid");
        assertThat(in(mode).execute(KEY, String.class, () -> "paid twice")).isEqualTo("paid");
        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> in(mode).execute(OTHER, String.class, () -> "paid twice"));

        assertThat(events).containsExactly(KeyEvent.CLAIMED, KeyEvent.COMPLETED, KeyEvent.REPLAYED, KeyEvent.REUSED);
    }

    @ParameterizedTest
    @EnumSource
    void listenersAreNotifiedWhenAFailureFreesTheKey(Mode mode) {
        assertThatIllegalStateException()
                .isThrownBy(() -> in(mode).execute(KEY, String.class, () -> {
                    throw new IllegalStateException("declined");
                }));
        in(mode).unless("declined"::equals).execute(KEY, String.class, () -> "declined");

        assertThat(events).containsExactly(KeyEvent.CLAIMED, KeyEvent.FREED, KeyEvent.CLAIMED, KeyEvent.FREED);
    }

    @ParameterizedTest
    @EnumSource
    void aCallerThatStopsWaitingIsReportedAsADuplicate(Mode mode) {
        KeyClaim claim = ((KeyCheck.New) keys.check(KEY)).claim();

        assertThatExceptionOfType(DuplicateRequestException.class)
                .isThrownBy(
                        () -> in(mode).waiting(Duration.ofMillis(50)).execute(KEY, String.class, () -> "paid twice"));
        claim.fail();

        assertThat(events).containsExactly(KeyEvent.CLAIMED, KeyEvent.DUPLICATE, KeyEvent.FREED);
    }

    @Test
    void aPreviousOwnerIsReportedAsSuperseded() {
        KeyClaim completed = ((KeyCheck.New) keys.check(KEY)).claim();
        takeOver();
        assertThatExceptionOfType(SupersededException.class)
                .isThrownBy(() -> completed.complete(new StoredReply("json", null, null)));
        KeyClaim failed = ((KeyCheck.New) keys.check(KEY.onAccount("8"))).claim();
        takeOver();
        failed.fail();

        assertThat(events)
                .containsExactly(KeyEvent.CLAIMED, KeyEvent.SUPERSEDED, KeyEvent.CLAIMED, KeyEvent.SUPERSEDED);
    }

    @Test
    void completionAndReleaseAreReportedAfterTheCallersTransaction() {
        TransactionTemplate transaction = new TransactionTemplate(transactions);
        transaction.executeWithoutResult(status -> {
            in(Mode.SAME_TRANSACTION).execute(KEY, String.class, () -> "paid");
            assertThat(events).containsExactly(KeyEvent.CLAIMED);
            status.setRollbackOnly();
        });
        assertThat(events).containsExactly(KeyEvent.CLAIMED, KeyEvent.FREED);

        transaction.executeWithoutResult(status -> in(Mode.SAME_TRANSACTION).execute(KEY, String.class, () -> "paid"));
        assertThat(events).containsExactly(KeyEvent.CLAIMED, KeyEvent.FREED, KeyEvent.CLAIMED, KeyEvent.COMPLETED);
    }

    @Test
    void aRequestWithoutAnIdNotifiesNoListener() {
        idempotency.execute(IdempotencyKey.of("pay", null), String.class, () -> "paid");

        assertThat(events).isEmpty();
    }

    private static void takeOver() {
        JdbcClient.create(connections)
                .sql("UPDATE saga_idempotency_key SET token = nextval('saga_token')")
                .update();
    }
}
