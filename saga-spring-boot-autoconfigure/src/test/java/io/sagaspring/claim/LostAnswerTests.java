package io.sagaspring.claim;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.Interference.Parked;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Tests claims whose connection breaks while they begin or end. The caller gets the outcome, or an exception that says
 * that the outcome is unknown. The library neither guesses an outcome nor repeats a claim.
 */
class LostAnswerTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void nothingElseIsClaimed() {
        shop.database().sql("DELETE FROM saga_claim").update();
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
    }

    /** The ways to end a claim: by its owner, with or without success, or by the janitor. */
    enum End {
        RELEASED("PACKED", ClaimEnd.DONE),
        COMPLETED("SENT", ClaimEnd.DONE),
        RECOVERED("PACKED", ClaimRecovery.Recovered.FREED);

        private final String status;
        private final Enum<?> success;

        End(String status, Enum<?> success) {
            this.status = status;
            this.success = success;
        }

        Enum<?> of(Claim claim) {
            return switch (this) {
                case RELEASED -> claims().release(claim);
                case COMPLETED -> claims().complete(claim, "SENT");
                case RECOVERED -> {
                    ClaimRecovery recoveries = shop.bean(ClaimRecovery.class);
                    shop.silence(Duration.ofHours(1));
                    yield recoveries.recover(
                            recoveries.databases().home(),
                            recoveries
                                    .find(claim.entity(), claim.id().toString())
                                    .orElseThrow(),
                            Duration.ofMinutes(5));
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void theCommittedEndOfAClaimIsReportedEvenIfTheAnswerIsLost(End end) {
        Claim claim = claim();
        shop.interference().with(Loss.ofAnswer("COMMIT"::equals).behindTheFence());

        assertThat((Object) end.of(claim)).isEqualTo(end.success);
        assertThat(shop.status(parcel)).isEqualTo(end.status);
        assertThat(shop.version(parcel)).isEqualTo(2);
        assertThat(shop.claims()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfAClaimCanBeRetriedIfItsCommitNeverArrived(End end) {
        Claim claim = claim();
        shop.interference().with(Loss.ofRequest("COMMIT"::equals).behindTheFence());

        assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> end.of(claim));
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(shop.claims()).isOne();

        assertThat((Object) end.of(claim)).isEqualTo(end.success);
    }

    @ParameterizedTest
    @EnumSource
    void theEndOfAClaimIsNotRepeatedIfItsOutcomeCannotBeRead(End end) {
        Claim claim = claim();
        shop.interference()
                .with(Loss.ofEveryAnswer(sql -> sql.equals("COMMIT") || Statements.isNamed(sql, "transaction.status"))
                        .behindTheFence());

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(() -> end.of(claim))
                .withMessageContaining("parcel %d".formatted(parcel))
                .withMessageContaining("None of the application's code was repeated");
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void theCheckOfATransactionsOutcomeWaitsForACommitInProgress() throws Exception {
        OwnTransactions own = shop.bean(DeclaredClaimStates.class)
                .tables()
                .findFirst()
                .orElseThrow()
                .own();
        try (Connection committing = database.dataSource().getConnection();
                Statement statement = committing.createStatement()) {
            committing.setAutoCommit(false);
            String transaction = number(statement);
            Parked statusRead = shop.interference().parkAfter("saga:transaction.status");
            CompletableFuture<Boolean> check = OwnThread.call(
                    () -> own.hasCommitted(transaction, "Committing", new IllegalStateException("cut off")));
            statusRead.awaitArrival();
            committing.commit();
            statusRead.letGo();

            assertThat(check.get(20, SECONDS)).isTrue();
        }
    }

    @Test
    void aClaimIsNotRepeatedIfItsAnswerAndAllConnectionsAreLost() {
        CutOff cutOff = new CutOff(Integer.MAX_VALUE);
        shop.interference().with(cutOff);

        assertThatExceptionOfType(OutcomeUnknownException.class)
                .isThrownBy(this::attempt)
                .withMessageStartingWith("Claiming Parcel (parcel) %d: the connection broke".formatted(parcel))
                .withCauseInstanceOf(CannotGetJdbcConnectionException.class);
        assertThat(cutOff.flips).hasValue(1);
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(shop.claims()).isOne();
    }

    @Test
    void aClaimWhoseAnswerIsLostIsFoundOnAnotherConnectionAndNotRepeated() {
        CutOff cutOff = new CutOff(1);
        shop.interference().with(cutOff);

        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(cutOff.flips).hasValue(1);
        assertThat(shop.version(parcel)).isOne();
    }

    /** A pool without a free connection reports the SQLState of a broken connection, although no statement was sent. */
    @Test
    void aClaimThatGetsNoConnectionFailsAtTheFirstAttempt() {
        AtomicInteger openings = new AtomicInteger();
        shop.interference().with(new Interference.Around() {
            @Override
            public void opening() throws SQLException {
                openings.incrementAndGet();
                throw Interference.connectionLost();
            }
        });

        assertThatExceptionOfType(CannotGetJdbcConnectionException.class).isThrownBy(this::attempt);
        assertThat(openings).hasValue(1);
    }

    /** Loses the answer to the claim, and then refuses a number of connections. */
    private static final class CutOff implements Interference.Around {

        private final AtomicInteger flips = new AtomicInteger();
        private final AtomicInteger refusals;

        CutOff(int refusals) {
            this.refusals = new AtomicInteger(refusals);
        }

        @Override
        public void opening() throws SQLException {
            if (flips.get() > 0 && refusals.getAndDecrement() > 0) {
                throw Interference.connectionLost();
            }
        }

        @Override
        public void after(String sql, Connection connection) throws SQLException {
            if (Statements.isNamed(sql, "claim.flip") && flips.getAndIncrement() == 0) {
                connection.abort(Runnable::run);
                throw Interference.connectionLost();
            }
        }
    }

    private static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }

    private ClaimAttempt attempt() {
        return claims().tryClaim(shop.bean(DeclaredClaimStates.class).of("shop").get(0), parcel, "admin");
    }

    private Claim claim() {
        ClaimAttempt attempt = attempt();
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }

    private static String number(Statement statement) throws SQLException {
        try (ResultSet found = statement.executeQuery("SELECT pg_current_xact_id()::text")) {
            found.next();
            return found.getString(1);
        }
    }
}
