package io.sagaspring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** No work is executed twice when the connection breaks, or time passes, while a key is claimed or completed. */
class LostKeyAnswerTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Interference interference = new Interference();
    private static final DataSource connections = interference.watched(database.dataSource());
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final KeySettings SETTINGS = new KeySettings(
            Duration.ofHours(24), Duration.ofSeconds(30), Duration.ofMinutes(30), Duration.ofSeconds(1));
    private static final IdempotencyKey KEY = IdempotencyKey.of("pay", "request-1");

    private final AtomicReference<Duration> time = new AtomicReference<>(Duration.ofDays(1));
    private final Keeper keeper = new Keeper(database.dataSource(), Duration.ofSeconds(10), time::get);
    private final KeyStore store = new KeyStore(schema, "node", new OwnTransactions(connections), SETTINGS, List.of());
    private final IdempotencyKeys keys = new IdempotencyKeys(store, keeper);
    private final Idempotency idempotency = new Idempotency(
            keys,
            new TransactionalKeys(store, connections, () -> new DataSourceTransactionManager(connections), () -> 2),
            new JsonPayloadCodec(1_000));
    private final AtomicInteger done = new AtomicInteger();

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void deleteKeys() {
        jdbc.sql("DELETE FROM saga_idempotency_key").update();
    }

    @AfterEach
    void letThrough() {
        interference.none();
        keeper.close();
    }

    private int payOnce() {
        return idempotency.execute(KEY, Integer.class, done::incrementAndGet);
    }

    private static boolean isClaim(String sql) {
        return Statements.isNamed(sql, "key.claim");
    }

    private static boolean isCompletion(String sql) {
        return Statements.isNamed(sql, "key.complete");
    }

    @Test
    void aCallerFindsItsOwnClaimAfterALostAnswer() {
        interference.with(Loss.ofAnswer(LostKeyAnswerTests::isClaim));

        assertThat(payOnce()).isEqualTo(1);
        assertThat(payOnce()).isEqualTo(1);
    }

    @Test
    void aClaimThatNeverReachedTheDatabaseIsSentAgain() {
        interference.with(Loss.ofRequest(LostKeyAnswerTests::isClaim));

        assertThat(payOnce()).isEqualTo(1);
    }

    /** A pool without a free connection reports the SQLState of a broken connection, although nothing was sent. */
    @Test
    void aClaimThatGetsNoConnectionIsNotReportedAsUnknown() {
        AtomicInteger attempts = new AtomicInteger();
        interference.with(new Interference.Around() {
            @Override
            public void opening() throws SQLException {
                attempts.incrementAndGet();
                throw Interference.connectionLost();
            }
        });

        assertThatExceptionOfType(CannotGetJdbcConnectionException.class).isThrownBy(this::payOnce);
        assertThat(attempts).hasValue(1);
    }

    /** Only a second connection could show whether the first claim was committed. Some pools report no SQLState. */
    @ParameterizedTest
    @ValueSource(strings = {"08001", ""})
    void aClaimHasAnUnknownOutcomeIfItsAnswerIsLostAndNoConnectionOpens(String state) {
        AtomicInteger claims = new AtomicInteger();
        interference.with(new Interference.Around() {
            @Override
            public void opening() throws SQLException {
                if (claims.get() > 0) {
                    throw noConnection(state);
                }
            }

            @Override
            public void after(String sql, Connection connection) throws SQLException {
                if (isClaim(sql)) {
                    claims.incrementAndGet();
                    throw Interference.connectionLost();
                }
            }
        });

        assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(this::payOnce);
        assertThat(claims).hasValue(1);
        assertThat(done).hasValue(0);
    }

    /**
     * After a fail-over the new server may still be read-only. Its error does not show whether the first claim was
     * committed.
     */
    @Test
    void aClaimHasAnUnknownOutcomeIfItsAnswerIsLostAndItsRepetitionIsRefused() {
        AtomicInteger claims = new AtomicInteger();
        interference.with(new Interference.Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (isClaim(sql) && claims.getAndIncrement() > 0) {
                    throw new SQLException("cannot execute INSERT in a read-only transaction", "25006");
                }
            }

            @Override
            public void after(String sql, Connection connection) throws SQLException {
                if (isClaim(sql)) {
                    throw Interference.connectionLost();
                }
            }
        });

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(this::payOnce)
                .withMessageStartingWith("Claiming the key for 'pay'");
        assertThat(done).hasValue(0);
    }

    /**
     * The work has taken effect. If the exception had the missing connection as its cause, it would suggest the
     * opposite.
     */
    @ParameterizedTest
    @ValueSource(strings = {"08001", ""})
    void storingAReplyWithoutAConnectionHasAnUnknownOutcome(String state) {
        interference.with(new Interference.Around() {
            @Override
            public void opening() throws SQLException {
                if (done.get() > 0) {
                    throw noConnection(state);
                }
            }
        });

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(this::payOnce)
                .withMessageStartingWith("Storing the reply to a request with the key for 'pay'");
        assertThat(keeper.holds()).isEmpty();
    }

    private static SQLException noConnection(String state) {
        return new SQLException("There is no connection", state.isEmpty() ? null : state);
    }

    /** The claim may exist, but no heartbeat would renew it. */
    @Test
    void workDoesNotBeginWhenEveryAnswerToItsClaimIsLost() {
        AtomicInteger claims = counted(LostKeyAnswerTests::isClaim, Loss.ofEveryAnswer(LostKeyAnswerTests::isClaim));

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(this::payOnce)
                .withMessageStartingWith("Claiming the key for 'pay'");
        assertThat(claims).hasValue(3);
        assertThat(done).hasValue(0);
        assertThat(keeper.holds()).isEmpty();
    }

    @Test
    void aReplyIsStoredEvenIfTheDatabasesAnswerIsLost() {
        interference.with(Loss.ofAnswer(LostKeyAnswerTests::isCompletion));

        assertThat(payOnce()).isEqualTo(1);
        assertThat(payOnce()).isEqualTo(1);
    }

    @Test
    void aReplyThatNeverReachedTheDatabaseIsSentAgain() {
        interference.with(Loss.ofRequest(LostKeyAnswerTests::isCompletion));

        assertThat(payOnce()).isEqualTo(1);
        assertThat(payOnce()).isEqualTo(1);
    }

    @Test
    void anUnconfirmedReplyIsReportedAsUnknownAndReplayedLater() {
        AtomicInteger completions =
                counted(LostKeyAnswerTests::isCompletion, Loss.ofEveryAnswer(LostKeyAnswerTests::isCompletion));

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(this::payOnce)
                .withMessageStartingWith("Storing the reply to a request with the key for 'pay'");
        assertThat(completions).hasValue(3);
        assertThat(keeper.holds()).isEmpty();
        interference.none();
        assertThat(payOnce()).isEqualTo(1);
    }

    /** The database would refuse the same statement again. */
    @Test
    void aStatementRefusedByTheDatabaseIsNotRepeated() {
        AtomicInteger claims = counted(LostKeyAnswerTests::isClaim, refusing(LostKeyAnswerTests::isClaim));

        assertThatExceptionOfType(DataAccessException.class).isThrownBy(this::payOnce);
        assertThat(claims).hasValue(1);
        assertThat(done).hasValue(0);

        AtomicInteger completions =
                counted(LostKeyAnswerTests::isCompletion, refusing(LostKeyAnswerTests::isCompletion));

        assertThatExceptionOfType(DataAccessException.class).isThrownBy(this::payOnce);
        assertThat(completions).hasValue(1);
        assertThat(done).hasValue(1);
        assertThat(keeper.holds()).isEmpty();
    }

    /** The caller gets the exception of its work. The key becomes free when its lease ends. */
    @Test
    void aFailedReleaseOfAKeyDoesNotHideTheWorksException() {
        IOException thrown = new IOException("offline");
        interference.with(refusing(Statements.named("key.delete")));

        assertThatThrownBy(() -> idempotency.execute(KEY, Integer.class, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);

        assertThat(keeper.holds()).isEmpty();
        interference.none();
        assertThatExceptionOfType(DuplicateRequestException.class).isThrownBy(this::payOnce);
    }

    /** By the database clock, the lease may begin as soon as the claim is sent, even if the answer arrives late. */
    @Test
    void theLeaseIncludesTheTimeThatTheClaimTakes() {
        interference.with(new Interference.Around() {
            @Override
            public void after(String sql, Connection connection) {
                if (isClaim(sql)) {
                    pass(Duration.ofSeconds(21));
                }
            }
        });

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(this::payOnce);
        assertThat(done).hasValue(0);
    }

    @Test
    void longWorkIsInterruptedWhenItsMaximumTimeEnds() {
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> idempotency.execute(KEY, Integer.class, () -> {
                    pass(Duration.ofMinutes(29));
                    keeper.beat();
                    assertThat(Thread.interrupted()).isFalse();
                    pass(Duration.ofMinutes(2));
                    keeper.beat();
                    throw Thread.interrupted() ? new InterruptedException() : new IOException("goes on");
                }));
    }

    private void pass(Duration duration) {
        time.set(time.get().plus(duration));
    }

    /** Counts the attempts to send the statement. */
    private static AtomicInteger counted(Predicate<String> statement, Interference.Around around) {
        AtomicInteger count = new AtomicInteger();
        interference.with(new Interference.Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (statement.test(sql)) {
                    count.incrementAndGet();
                }
                around.before(sql, connection);
            }

            @Override
            public void after(String sql, Connection connection) throws SQLException {
                around.after(sql, connection);
            }
        });
        return count;
    }

    private static Interference.Around refusing(Predicate<String> statement) {
        return new Interference.Around() {
            @Override
            public void before(String sql, Connection connection) throws SQLException {
                if (statement.test(sql)) {
                    throw new SQLException("permission denied", "42501");
                }
            }
        };
    }
}
