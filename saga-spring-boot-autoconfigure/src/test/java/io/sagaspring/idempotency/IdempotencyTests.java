package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The work for a key is executed once, and each repeated request gets its reply. */
class IdempotencyTests extends KeysOnPostgres {

    @Test
    void aRepeatedRequestIsExecutedOnceAndAnsweredTwice() {
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(done).hasValue(1);
    }

    @Test
    void aChangeInAnyPartMakesADifferentKey() {
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
    void theKeyOfAnAccountChangingOperationIsFoundUnderAnyAccountOfItsOwner() {
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
    void anExceptionReachesTheCallerAndFreesTheKey() {
        IOException thrown = new IOException("offline");

        assertThatThrownBy(() -> idempotency.execute(KEY, Receipt.class, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(rows()).isZero();
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    @Test
    void aResultThatMeetsTheUnlessConditionFreesTheKey() {
        Idempotency checked = idempotency.unless(result -> result instanceof Receipt receipt && receipt.cents() == 0);

        assertThat(checked.execute(KEY, Receipt.class, () -> new Receipt("declined", 0)))
                .isEqualTo(new Receipt("declined", 0));
        assertThat(checked.execute(KEY, Receipt.class, this::pay)).isEqualTo(new Receipt("R-1", 1200));
        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));
    }

    /** The work has taken effect. A later failure must not cause it to be repeated. */
    @Test
    void workIsNotRepeatedWhenTheUnlessConditionThrowsAnException() {
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
    void everyRequestWithoutAnIdIsExecutedWithoutAConnection() {
        IdempotencyKey none = IdempotencyKey.of("pay", null);
        int before = opened.get();

        payOnce(none);
        payOnce(none);

        assertThat(done).hasValue(2);
        assertThat(((KeyCheck.New) keys.check(none)).claim()).isSameAs(KeyClaim.none());
        assertThat(opened).hasValue(before);
    }

    @Test
    void aDifferentRequestWithTheSameKeyIsRefused() {
        payOnce(KEY.about(Fingerprint.of("1200")));

        assertThatExceptionOfType(KeyReusedException.class)
                .isThrownBy(() -> payOnce(KEY.about(Fingerprint.of("9900"))));
        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }

    @Test
    void aDifferentRequestIsRefusedDuringTheFirstRequestAndAfterItsCrash() {
        IdempotencyKey key = KEY.about(Fingerprint.of("1200"));
        keys.check(key);

        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> payOnce(KEY));
        backdateLeases("31 seconds");
        assertThatExceptionOfType(KeyReusedException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(payOnce(key)).isEqualTo(new Receipt("R-1", 1200));
    }

    /** The transaction could still roll back after the key is completed. */
    @Test
    void aCallInsideATransactionIsRefused() {
        var transaction = new TransactionTemplate(new DataSourceTransactionManager(connections));

        assertThatExceptionOfType(InsideTransactionException.class)
                .isThrownBy(() -> transaction.execute(status -> payOnce(KEY)))
                .withMessageContaining("sameTransaction = true");
        assertThat(rows()).isZero();
    }

    @Test
    void aCompletedKeyCanNoLongerBeReleased() {
        KeyClaim claim = ((KeyCheck.New) keys.check(KEY)).claim();
        claim.complete(new StoredReply("json", null, null));

        claim.fail();

        assertThat(keys.check(KEY)).isInstanceOf(KeyCheck.Completed.class);
    }

    /** Repeated requests may be frequent. They must not wait for a lock, and must not use up the token sequence. */
    @Test
    void aRepeatedRequestWritesNothing() {
        payOnce(KEY);
        String before = versions();

        assertThat(payOnce(KEY)).isEqualTo(new Receipt("R-1", 1200));

        assertThat(versions()).isEqualTo(before);
    }

    @Test
    void anErrorReachesTheCallerAndFreesTheKey() {
        AssertionError thrown = new AssertionError("broken");

        assertThatThrownBy(() -> idempotency.execute(KEY, Receipt.class, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(rows()).isZero();
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void workIsNotRepeatedWhenTheUnlessConditionThrowsAnError() {
        assertThatThrownBy(() -> idempotency
                        .unless(result -> {
                            throw new AssertionError("no idea");
                        })
                        .execute(KEY, Receipt.class, this::pay))
                .hasMessage("no idea");

        assertThatExceptionOfType(ReplyNotKeptException.class).isThrownBy(() -> payOnce(KEY));
        assertThat(done).hasValue(1);
    }

    /** The order in which the options are set does not matter. */
    @Test
    void eachOptionTakesEffectWhateverTheOrder() {
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

    /** Tokens come from a sequence, whose name the statement contains as a string literal. */
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
        SagaSchema other = SagaSchema.migrate(there, null);
        IdempotencyKeys elsewhere = new IdempotencyKeys(
                new KeyStore(other, "node", new OwnTransactions(there), SETTINGS, List.of()), keeper);

        assertThat(other.name()).isEqualTo("ada's \"own\"");
        assertThat(elsewhere.check(KEY)).isInstanceOf(KeyCheck.New.class);
        assertThat(elsewhere.check(KEY)).isInstanceOf(KeyCheck.Processing.class);
    }

    private static String versions() {
        return jdbc.sql(
                        "SELECT k.xmin::text, k.xmax::text, k.ctid::text, last_value FROM saga_idempotency_key AS k, saga_token")
                .query()
                .listOfRows()
                .toString();
    }

    @Test
    void workWithAnUnknownOutcomeIsNotRepeated() {
        KeyedWork<String, RuntimeException> work = () -> {
            done.incrementAndGet();
            throw new IllegalStateException(new OutcomeUnknownException("The payment", new SQLException("no answer")));
        };

        assertThatIllegalStateException().isThrownBy(() -> idempotency.execute(KEY, String.class, work));
        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> idempotency.execute(KEY, String.class, work))
                .withMessageStartingWith("An earlier request with the key for 'pay'");
        assertThat(done).hasValue(1);
    }

    /**
     * An unpaired surrogate has no encoding in UTF-8. Strings that differ only in the surrogate would be the same key.
     */
    @Test
    void aKeyRefusesAnUnpairedSurrogate() {
        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> KEY.onAccount("a\uD800"))
                .withMessage("The account of an idempotency key contains an unpaired surrogate. Remove it.");
        assertThat(KEY.onAccount("a\uD83D\uDE00").account()).isEqualTo("a😀");
    }
}
