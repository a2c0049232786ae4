package io.sagaspring.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimRecovery.Recovered;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.LockWaits;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DataAccessException;

/** A flip listener is called in the transaction of each flip that bypasses JPA. Its writes and the flip are one commit. */
class FlipListenerTests {

    /** Writes each flip to an audit table, and then does what the test wants. */
    private static final class Audit implements FlipListener {
        private final List<Flip> flips = new CopyOnWriteArrayList<>();
        private volatile FlipListener then = (flip, connection) -> {};

        @Override
        public void flipped(Flip flip, Connection connection) throws SQLException {
            flips.add(flip);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO audit (flip) VALUES (?)")) {
                insert.setString(1, "%s %s %s".formatted(flip.kind(), flip.id(), flip.version()));
                insert.executeUpdate();
            }
            then.flipped(flip, connection);
        }
    }

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Audit audit = new Audit();
    private static final Shop shop = Shop.open(
            database,
            application -> application.initializers(
                    context -> ((GenericApplicationContext) context).registerBean("audit", Audit.class, () -> audit)));

    private long parcel;

    @BeforeEach
    void pack() {
        shop.database()
                .sql("CREATE TABLE IF NOT EXISTS audit (flip text UNIQUE)")
                .update();
        shop.database().sql("TRUNCATE audit, saga_claim").update();
        audit.flips.clear();
        audit.then = (flip, connection) -> {};
        parcel = shop.pack();
    }

    @AfterEach
    void letThrough() {
        shop.interference().none();
        shop.script().action = (parcel, context) -> ActionResult.success();
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @Test
    void aClaimAndItsReleaseAreTwoFlips() {
        Claim claim = claim();
        assertThat(claims().release(claim)).isEqualTo(ClaimEnd.DONE);

        assertThat(audit.flips)
                .containsExactly(
                        flip(Flip.Kind.CLAIMED, "PACKED", "SENDING", 1),
                        flip(Flip.Kind.RELEASED, "SENDING", "PACKED", 2));
        assertThat(audited()).containsExactly("CLAIMED %d 1".formatted(parcel), "RELEASED %d 2".formatted(parcel));
    }

    @Test
    void theCompletionOfAClaimIsAFlip() {
        assertThat(claims().complete(claim(), "SENT")).isEqualTo(ClaimEnd.DONE);

        assertThat(audit.flips.get(1)).isEqualTo(flip(Flip.Kind.COMPLETED, "SENDING", "SENT", 2));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRevertByAJanitorOrAnOperatorIsAFlip(boolean byAJanitor) {
        Claim claim = claim();
        if (byAJanitor) {
            shop.silence(Duration.ofHours(1));
            assertThat(shop.sweep()).isOne();
        } else {
            assertThat(shop.bean(ClaimRecovery.class).release(row(claim))).isEqualTo(Recovered.FREED);
        }

        assertThat(audit.flips.get(1)).isEqualTo(flip(Flip.Kind.REVERTED, "SENDING", "PACKED", 2));
        assertThat(audited()).contains("REVERTED %d 2".formatted(parcel));
    }

    /** JPA writes the final flip of a step. */
    @Test
    void aCompletedStepCallsTheListenerOnlyForItsClaim() {
        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);

        assertThat(audit.flips).extracting(Flip::kind).containsExactly(Flip.Kind.CLAIMED);
    }

    @Test
    void aFailedStepCallsTheListenerForItsClaimAndItsRelease() {
        shop.script().action = (sent, context) -> ActionResult.failure("no stamps");

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Failed.class);
        assertThat(audit.flips).extracting(Flip::kind).containsExactly(Flip.Kind.CLAIMED, Flip.Kind.RELEASED);
    }

    @Test
    void aRefusedClaimALostClaimAndAMovedEntityAreNoFlips() {
        Claim first = claim();
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Refused.class);
        shop.database()
                .sql("UPDATE parcel SET status = 'LOST', version = version + 1")
                .update();
        assertThat(claims().release(first)).isEqualTo(ClaimEnd.MOVED);
        assertThat(claims().release(first)).isEqualTo(ClaimEnd.TAKEN);

        assertThat(audit.flips).hasSize(1);
    }

    @Test
    void anExceptionAtTheClaimReachesTheCallerAndNothingIsClaimed() {
        RuntimeException thrown = new IllegalStateException("no audit");
        audit.then = (flip, connection) -> {
            throw thrown;
        };

        assertThatThrownBy(this::attempt).isSameAs(thrown);
        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertNothingHappened();
        audit.then = (flip, connection) -> {};
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
    }

    @Test
    void aFailedStatementReachesTheCallerAsADataAccessExceptionAndIsNotRepeated() {
        audit.then = (flip, connection) -> {
            throw new SQLException("deadlock detected", "40P01");
        };

        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(this::attempt)
                .havingCause()
                .isInstanceOf(SQLException.class);
        assertThat(audit.flips).hasSize(1);
        assertNothingHappened();
    }

    /** The connection may have an unread answer, so it is aborted. */
    @Test
    void anErrorReachesTheCallerAsACauseAndTheNextClaimGetsAConnection() {
        audit.then = (flip, connection) -> {
            throw new StackOverflowError();
        };

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::attempt)
                .withMessage(
                        "A FlipListener threw a StackOverflowError, so its flip was rolled back. Correct the listener.")
                .withCauseInstanceOf(StackOverflowError.class);
        audit.then = (flip, connection) -> {};
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
    }

    @Test
    void aFailedStatementThatTheListenerSwallowsRollsTheFlipBack() {
        audit.then = (flip, connection) -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1 / 0");
            } catch (SQLException swallowed) {
                assertThat((Throwable) swallowed).hasMessageContaining("division by zero");
            }
        };

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::attempt)
                .withMessage(
                        "A FlipListener caught the exception of a failed statement, so its flip was rolled back. Let the exception pass, or roll back to a savepoint.");
        assertNothingHappened();
    }

    @Test
    void anExceptionAtTheReleaseIsSuppressedAndTheJanitorReverts() {
        RuntimeException thrown = new IllegalStateException("no stamps");
        shop.script().action = (sent, context) -> {
            throw thrown;
        };
        audit.then = (flip, connection) -> {
            if (flip.kind() == Flip.Kind.RELEASED) {
                throw new AssertionError("no audit");
            }
        };

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        shop.silence(Duration.ofHours(1));
        assertThat(shop.sweep()).isOne();
        assertThat(audited())
                .containsExactlyInAnyOrder("CLAIMED %d 1".formatted(parcel), "REVERTED %d 2".formatted(parcel));
    }

    @Test
    @ExpectsErrors("could not free 1 claims for one cause")
    void anExceptionAtTheRevertIsLoggedAndTheNextSweepReverts() {
        claim();
        audit.then = (flip, connection) -> {
            throw new NoClassDefFoundError("no audit");
        };
        shop.silence(Duration.ofHours(1));

        assertThat(shop.sweep()).isZero();
        assertThat(shop.status(parcel)).isEqualTo("SENDING");
        assertThat(shop.claims()).isOne();
        audit.then = (flip, connection) -> {};
        assertThat(shop.sweep()).isOne();
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theCallerGetsTheListenersExceptionAlthoughTheRollbackFails(boolean ofTheClaim) {
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
        assertThat(audited()).containsExactly("CLAIMED %d 1".formatted(parcel));
    }

    @Test
    void aClaimThatNeverReachedTheDatabaseIsRepeatedWithItsListener() {
        shop.interference().with(Loss.ofRequest("COMMIT"::equals));

        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(audit.flips).hasSize(2);
        assertThat(audited()).containsExactly("CLAIMED %d 1".formatted(parcel));
        assertThat(shop.version(parcel)).isOne();
    }

    @Test
    void anEndWhoseAnswerIsLostIsReportedAndTheListenerIsNotCalledAgain() {
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
                            "A FlipListener called commit() on the connection of a flip, whose transaction the library ends. Throw an exception to roll the flip back.");
            assertThatThrownBy(connection::rollback).hasMessageContaining("called rollback()");
            assertThatThrownBy(() -> connection.setAutoCommit(true)).hasMessageContaining("called setAutoCommit()");
            connection.rollback(connection.setSavepoint());
        };

        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
        assertThat(audited()).hasSize(1);
    }

    @Test
    void theListenerCannotKeepTheConnection() {
        List<Connection> kept = new ArrayList<>();
        audit.then = (flip, connection) -> kept.add(connection);
        claim();

        assertThatThrownBy(() -> kept.get(0).createStatement())
                .hasMessage(
                        "A FlipListener used its connection after it had returned. Use the connection only during the call.");
    }

    /** The listener's call would wait for the flip's own lock. */
    @Test
    void theListenerCannotCallTheLibrary() {
        audit.then = (flip, connection) -> claims().tryClaim(state(), parcel, "audit");

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::attempt)
                .withMessageStartingWith("A FlipListener called the library inside the transaction of a flip");
        assertNothingHappened();
        audit.then = (flip, connection) -> {};
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
    }

    @Test
    void aCallerThatWaitsForAListenerIsRefused() throws Exception {
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
                    sent.add(sql);
                }
            });
            plain.bean(ClaimService.class).tryClaim(state, packed, "admin");
        }

        assertThat(sent).hasSize(1).allMatch(sql -> Statements.isNamed(sql, "claim.flip"));
    }

    private void assertNothingHappened() {
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.version(parcel)).isZero();
        assertThat(shop.claims()).isZero();
        assertThat(audited()).isEmpty();
    }

    private Flip flip(Flip.Kind kind, String from, String to, long version) {
        return new Flip(kind, "parcel", Parcel.class, parcel, from, to, version, "admin");
    }

    private static List<String> audited() {
        return shop.database()
                .sql("SELECT flip FROM audit ORDER BY flip")
                .query(String.class)
                .list();
    }

    private static ClaimedRow row(Claim claim) {
        return shop.bean(ClaimRecovery.class).find(claim.entity(), claim.key()).orElseThrow();
    }

    private static ClaimService claims() {
        return shop.bean(ClaimService.class);
    }

    private static ClaimState state() {
        return shop.bean(DeclaredClaimStates.class).of("shop").get(0);
    }

    private ClaimAttempt attempt() {
        return claims().tryClaim(state(), parcel, "admin");
    }

    private Claim claim() {
        ClaimAttempt attempt = attempt();
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
