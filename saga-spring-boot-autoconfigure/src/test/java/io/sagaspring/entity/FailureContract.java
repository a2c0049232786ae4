package io.sagaspring.entity;

import static io.sagaspring.entity.ClaimedShop.assertRow;
import static io.sagaspring.entity.ClaimedShop.claimsOf;
import static io.sagaspring.entity.ClaimedShop.granted;
import static io.sagaspring.entity.ClaimedShop.shop;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimEnd;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.Loss;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Statements;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The contract of each kind of entity for failures: a lost claim, a lost reply and a lost node. Nothing is committed
 * without the claim, and nothing is done twice.
 */
interface FailureContract {

    @BeforeEach
    default void everyActionWrites() {
        shop.database().sql("DELETE FROM written").update();
        ClaimedShop.acting = (entity, context) -> {
            write();
            return ActionResult.success();
        };
    }

    @Clause.Shown(Clause.FENCE)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anOwnerWhoseClaimWasRevertedCommitsNothing(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        whileActing(() -> free(kind, key));

        assertThat(kind.close(key)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(written()).isZero();
        assertThat(claimsOf(kind, key)).isZero();
        assertRow(kind, key, before, kind.states().get(0), 2);
    }

    /** The new owner has brought the entity into the same status. Only version and token tell the owners apart. */
    @Clause.Shown(Clause.FENCE)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anOwnerWhoseClaimWasTakenOverCommitsNothing(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        whileActing(() -> {
            free(kind, key);
            granted(kind.claim(key));
        });

        assertThat(kind.close(key)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(written()).isZero();
        assertThat(claimsOf(kind, key)).isOne();
        assertRow(kind, key, before, kind.states().get(1), 3);
    }

    private static void whileActing(Runnable interference) {
        ClaimedShop.acting = (entity, context) -> {
            write();
            // The keeper may interrupt the action, but the action must continue to wait.
            OwnThread.run(interference).join();
            return ActionResult.success();
        };
    }

    /** Only the fence protects the entity here, because its row has not changed since the claim. */
    @Clause.Shown(Clause.FENCE)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anOwnerWithoutItsLedgerRowCommitsNothing(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        ClaimedShop.acting = (entity, context) -> {
            write();
            shop.database().sql("DELETE FROM saga_claim").update();
            return ActionResult.success();
        };

        assertThat(kind.close(key)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(written()).isZero();
        assertRow(kind, key, before, kind.states().get(1), 1);
    }

    @Clause.Shown(Clause.LOST_ANSWER)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aClaimWhoseAnswerIsLostIsFoundAndNotRepeated(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        shop.interference().with(Loss.ofAnswer(claimOf(kind)));

        assertThat(kind.close(key)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(written()).isOne();
        assertThat(claimsOf(kind, key)).isZero();
        assertRow(kind, key, before, kind.states().get(2), 2);
    }

    /** Returns the statement that commits the claim: the flip itself, or the commit after it. */
    private static Predicate<String> claimOf(Claimed kind) {
        if (kind.table().isFlippedByOneStatement()) {
            return Statements.named("claim.flip");
        }
        AtomicBoolean inserted = new AtomicBoolean();
        return sql -> {
            if (Statements.isNamed(sql, "claim.insert")) {
                inserted.set(true);
            }
            return inserted.get() && sql.equals("COMMIT");
        };
    }

    @Clause.Shown(Clause.LOST_ANSWER)
    @ParameterizedTest
    @MethodSource("kinds")
    @ExpectsErrors("is committed. The failure came after the commit")
    default void aStepWhoseCommitHasNoAnswerIsCompleted(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        shop.interference().with(Loss.ofAnswer("COMMIT"::equals).behindTheFence());

        assertThat(kind.close(key)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(written()).isOne();
        assertThat(claimsOf(kind, key)).isZero();
        assertRow(kind, key, before, kind.states().get(2), 2);
    }

    @Clause.Shown(Clause.LOST_ANSWER)
    @ParameterizedTest
    @MethodSource("kinds")
    default void aStepWhoseCommitNeverArrivedIsReverted(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        shop.interference().with(Loss.ofRequest("COMMIT"::equals).behindTheFence());

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> kind.close(key))
                .isNotInstanceOf(OutcomeUnknownException.class);
        assertThat(written()).isZero();
        assertThat(claimsOf(kind, key)).isZero();
        assertRow(kind, key, before, kind.states().get(0), 2);
    }

    /** The lost node sends no heartbeats and releases nothing, as if its process had been killed. */
    @Clause.Shown(Clause.SWEEP)
    @ParameterizedTest
    @MethodSource("kinds")
    default void anotherNodeRevertsTheClaimOfALostNode(Claimed kind) {
        Object key = kind.save();
        EntityRow before = kind.read(key);
        Claim lost = granted(kind.claim(key));

        ClaimedShop.other.silence(Duration.ofMinutes(6));
        ClaimedShop.other.sweep();

        assertThat(claimsOf(kind, key)).isZero();
        assertRow(kind, key, before, kind.states().get(0), 2);
        assertThat(shop.bean(ClaimService.class).complete(lost, kind.states().get(2)))
                .isEqualTo(ClaimEnd.TAKEN);
        assertRow(kind, key, before, kind.states().get(0), 2);
    }

    private static void free(Claimed kind, Object key) {
        ClaimRecovery recoveries = ClaimedShop.other.bean(ClaimRecovery.class);
        assertThat(recoveries.release(
                        recoveries.find(kind.table().name(), kind.text(key)).orElseThrow()))
                .isEqualTo(ClaimRecovery.Recovered.FREED);
    }

    /** Writes in the transaction of the action. */
    private static void write() {
        shop.bean(JdbcTemplate.class).update("INSERT INTO written VALUES (1)");
    }

    private static int written() {
        return shop.database()
                .sql("SELECT count(*) FROM written")
                .query(Integer.class)
                .single();
    }
}
