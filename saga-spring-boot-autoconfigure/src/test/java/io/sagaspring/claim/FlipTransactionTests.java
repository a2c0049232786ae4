package io.sagaspring.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The flip and the writes of a flip listener are committed together, even if answers are lost. The listener cannot end
 * the transaction.
 */
class FlipTransactionTests extends AuditedParcels {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theCallerGetsTheExceptionOfTheListenerEvenIfTheRollbackFails(boolean ofTheClaim) {
        Claim claim = ofTheClaim ? null : claim();
        audit.flips.clear();
        IllegalStateException thrown = new IllegalStateException("no audit");
        audit.then = (flip, connection) -> {
            throw thrown;
        };
        shop.interference().with(Loss.ofRequest("ROLLBACK"::equals));

        assertThatThrownBy(() -> {
                    if (claim == null) {
                        attempt();
                    } else {
                        claims().release(claim);
                    }
                })
                .isSameAs(thrown);
        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(audit.flips).hasSize(1);
    }

    @Test
    void aClaimWhoseAnswerIsLostIsFoundAndTheListenerIsNotCalledAgain() {
        shop.interference().with(Loss.ofAnswer("COMMIT"::equals));

        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(audit.flips).hasSize(1);
        assertThat(audited()).containsExactly("CLAIMED %s 1".formatted(parcel));
    }

    @Test
    void aClaimWhoseCommitNeverArrivedIsRepeatedAndTheListenerIsCalledAgain() {
        shop.interference().with(Loss.ofRequest("COMMIT"::equals));

        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(audit.flips).hasSize(2);
        assertThat(audited()).containsExactly("CLAIMED %s 1".formatted(parcel));
        assertThat(shop.version(parcel)).isOne();
    }

    @Test
    void aCompletionWhoseAnswerIsLostIsReportedAndTheListenerIsNotCalledAgain() {
        Claim claim = claim();
        shop.interference().with(Loss.ofAnswer("COMMIT"::equals));

        assertThat(claims().complete(claim, "SENT")).isEqualTo(ClaimEnd.DONE);
        assertThat(audit.flips).hasSize(2);
        assertThat(audited()).hasSize(2);
    }

    @Test
    void theListenerCannotEndTheTransaction() {
        audit.then = (flip, connection) -> {
            connection.close();
            assertThatThrownBy(connection::commit)
                    .isInstanceOf(SQLException.class)
                    .hasMessage(
                            "A FlipListener called commit() on the connection of a flip, but only the library may end this transaction. Throw an exception to roll the flip back.");
            assertThatThrownBy(connection::rollback).hasMessageContaining("called rollback()");
            assertThatThrownBy(() -> connection.setAutoCommit(true)).hasMessageContaining("called setAutoCommit()");
            connection.rollback(connection.setSavepoint());
        };

        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(audited()).hasSize(1);
    }

    /** A listener can reach the driver's own connection through a statement or another object of the driver. */
    @ParameterizedTest
    @ValueSource(strings = {"ROLLBACK", "COMMIT", "connection", "metadata"})
    void aListenerThatEndsTheTransactionOnTheDriversConnectionIsRefused(String way) {
        audit.then = (flip, connection) -> {
            try (Statement statement = connection.createStatement()) {
                switch (way) {
                    case "connection" -> statement.getConnection().rollback();
                    case "metadata" -> connection.getMetaData().getConnection().rollback();
                    default -> statement.execute(way);
                }
            }
        };

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::attempt)
                .withMessageStartingWith("A FlipListener ended the transaction of a flip");
        audit.then = (flip, connection) -> {};
        if (way.equals("COMMIT")) {
            shop.silence(Duration.ofHours(1));
            assertThat(shop.sweep()).isOne();
        } else {
            assertNothingHappened();
        }
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
    }

    @Test
    void theListenerCannotKeepTheConnection() {
        List<Connection> kept = new ArrayList<>();
        audit.then = (flip, connection) -> kept.add(connection);
        claim();

        assertThatThrownBy(() -> kept.get(0).createStatement())
                .hasMessage(
                        "A FlipListener used the connection of a flip after its call had ended. Use the connection only during the call.");
    }

    /** If a listener called the library, a claim of the same entity would wait for the flip's own lock. */
    @Test
    void theListenerCannotCallTheLibrary() {
        audit.then = (flip, connection) -> claims().list(1);

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::attempt)
                .withMessageStartingWith("A FlipListener called the library inside the transaction of a flip");
        assertNothingHappened();
        audit.then = (flip, connection) -> {};
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
    }

    @Test
    void aCallerThatHasWaitedForAListenerDoesNotGetTheClaim() throws Exception {
        Interference.Parked first = shop.interference().parkAfter("INSERT INTO audit");
        CompletableFuture<ClaimAttempt> winner = OwnThread.call(this::attempt);
        first.awaitArrival();
        CompletableFuture<ClaimAttempt> loser = OwnThread.call(this::attempt);
        await().atMost(20, TimeUnit.SECONDS).until(() -> LockWaits.in(shop.database(), "claim.flip") == 1);
        first.letGo();

        assertThat(winner.get(20, TimeUnit.SECONDS)).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(loser.get(20, TimeUnit.SECONDS)).isInstanceOf(ClaimAttempt.Refused.class);
        assertThat(audited()).hasSize(1);
    }

    @Test
    void withoutAListenerAClaimIsOneStatementWithoutATransaction() {
        List<String> sent = new CopyOnWriteArrayList<>();
        Thread caller = Thread.currentThread();
        try (TestDatabase other = TestDatabase.create(MigratedSchema.class);
                Shop plain = Shop.open(other)) {
            long packed = plain.pack();
            ClaimState state = plain.bean(DeclaredClaimStates.class).of("shop").get(0);
            Claim warm =
                    ((ClaimAttempt.Granted) plain.bean(ClaimService.class).tryClaim(state, packed, "admin")).claim();
            plain.bean(ClaimService.class).release(warm);
            plain.interference().with(new Interference.Around() {
                @Override
                public void before(String sql, Connection connection) {
                    // The janitor sweeps on its own thread.
                    if (Thread.currentThread() == caller) {
                        sent.add(sql);
                    }
                }
            });
            plain.bean(ClaimService.class).tryClaim(state, packed, "admin");
        }

        assertThat(sent).hasSize(1).allMatch(sql -> Statements.isNamed(sql, "claim.flip"));
    }
}
