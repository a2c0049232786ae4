package io.sagaspring.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.claim.ClaimRecovery.Recovered;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;

/** A flip listener is called for each flip that bypasses JPA. An exception of the listener rolls the flip back. */
class FlipListenerTests extends AuditedParcels {

    @Test
    void aClaimAndItsReleaseAreTwoFlips() {
        Claim claim = claim();
        assertThat(claims().release(claim)).isEqualTo(ClaimEnd.DONE);

        assertThat(audit.flips)
                .containsExactly(
                        flip(Flip.Kind.CLAIMED, "PACKED", "SENDING", 1),
                        flip(Flip.Kind.RELEASED, "SENDING", "PACKED", 2));
        assertThat(audited()).containsExactly("CLAIMED %s 1".formatted(parcel), "RELEASED %s 2".formatted(parcel));
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
        assertThat(audited()).contains("REVERTED %s 2".formatted(parcel));
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
    void theListenerIsNotCalledIfAClaimIsRefusedOrItsEndFails() {
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

    /** The connection is aborted, because it may have an unread answer. */
    @Test
    void anErrorReachesTheCallerAsACauseAndTheNextClaimGetsAConnection() {
        audit.then = (flip, connection) -> {
            throw new StackOverflowError();
        };

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(this::attempt)
                .withMessage(
                        "A FlipListener threw StackOverflowError, so the flip was rolled back. Correct the listener.")
                .withCauseInstanceOf(StackOverflowError.class);
        audit.then = (flip, connection) -> {};
        assertThat(attempt()).isInstanceOf(ClaimAttempt.Granted.class);
    }

    @Test
    void aFailedStatementRollsTheFlipBackEvenIfTheListenerCatchesTheException() {
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
                        "A FlipListener caught the exception of a failed statement, so the flip was rolled back. Let the exception propagate, or roll back to a savepoint.");
        assertNothingHappened();
    }

    @Test
    void anExceptionAtTheReleaseIsSuppressedAndTheJanitorRevertsTheClaim() {
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
                .containsExactlyInAnyOrder("CLAIMED %s 1".formatted(parcel), "REVERTED %s 2".formatted(parcel));
    }

    @Test
    @ExpectsErrors("could not free claims (number: 1) for the reason below")
    void anExceptionAtTheRevertIsLoggedAndTheNextSweepRevertsTheClaim() {
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
}
