package io.sagaspring.entity;

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
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Statements;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Tests lost claims, lost answers and lost nodes with an entity of every supported mapping. Without the claim nothing
 * is committed, and no step takes effect twice.
 */
class MappedFailureTests extends MappedShop {

    /** Another node over the same database. */
    static Shop other;

    @BeforeAll
    static void openAnother() {
        other = another(application -> {});
        shop.database().sql("CREATE TABLE written (token bigint)").update();
    }

    @AfterAll
    static void closeAnother() {
        other.close();
    }

    @BeforeEach
    void everyActionWrites() {
        shop.database().sql("DELETE FROM written").update();
        acting = (entity, context) -> {
            write();
            return ActionResult.success();
        };
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.FENCE)
    void anOwnerWhoseClaimWasFreedCommitsNothing(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        whileActing(() -> free(mapping, key));

        assertThat(mapping.close(key)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(written()).isZero();
        assertThat(claimsOf(mapping, key)).isZero();
        assertRow(mapping, key, before, mapping.states().get(0), 2);
    }

    /** The new owner has moved the entity to the same status. Only the version and the token distinguish the owners. */
    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.FENCE)
    void anOwnerWhoseClaimWasTakenCommitsNothing(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        whileActing(() -> {
            free(mapping, key);
            granted(mapping.claim(key));
        });

        assertThat(mapping.close(key)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(written()).isZero();
        assertThat(claimsOf(mapping, key)).isOne();
        assertRow(mapping, key, before, mapping.states().get(1), 3);
    }

    private static void whileActing(Runnable other) {
        acting = (entity, context) -> {
            write();
            // The action must wait even if the keeper interrupts it.
            OwnThread.run(other).join();
            return ActionResult.success();
        };
    }

    /** Only the fence protects here, because the entity's row has not changed. */
    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.FENCE)
    void anOwnerWithoutItsLedgerRowCommitsNothing(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        acting = (entity, context) -> {
            write();
            shop.database().sql("DELETE FROM saga_claim").update();
            return ActionResult.success();
        };

        assertThat(mapping.close(key)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(written()).isZero();
        assertRow(mapping, key, before, mapping.states().get(1), 1);
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.LOST_ANSWER)
    void aClaimWhoseAnswerIsLostIsFoundAndNotRepeated(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        shop.interference().with(Loss.ofAnswer(claimOf(mapping)));

        assertThat(mapping.close(key)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(written()).isOne();
        assertThat(claimsOf(mapping, key)).isZero();
        assertRow(mapping, key, before, mapping.states().get(2), 2);
    }

    /** Returns the statement that commits the claim: the flip itself, or the commit after it. */
    private static Predicate<String> claimOf(Mapping mapping) {
        if (mapping.table().isFlippedByOneStatement()) {
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

    @ParameterizedTest
    @EnumSource
    @ExpectsErrors("is committed. The failure came after the commit")
    @Clause.Shown(Clause.LOST_ANSWER)
    void aStepWhoseCommitHasNoAnswerIsCompleted(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        shop.interference().with(Loss.ofAnswer("COMMIT"::equals).behindTheFence());

        assertThat(mapping.close(key)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(written()).isOne();
        assertThat(claimsOf(mapping, key)).isZero();
        assertRow(mapping, key, before, mapping.states().get(2), 2);
    }

    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.LOST_ANSWER)
    void aStepWhoseCommitNeverArrivedIsReverted(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        shop.interference().with(Loss.ofRequest("COMMIT"::equals).behindTheFence());

        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> mapping.close(key))
                .isNotInstanceOf(OutcomeUnknownException.class);
        assertThat(written()).isZero();
        assertThat(claimsOf(mapping, key)).isZero();
        assertRow(mapping, key, before, mapping.states().get(0), 2);
    }

    /** The lost node sends no heartbeats and releases nothing, as if its process had been killed. */
    @ParameterizedTest
    @EnumSource
    @Clause.Shown(Clause.SWEEP)
    void anotherNodeRevertsTheClaimOfALostNode(Mapping mapping) {
        Object key = mapping.save();
        EntityRow before = mapping.read(key);
        Claim lost = granted(mapping.claim(key));

        other.silence(Duration.ofMinutes(6));
        other.sweep();

        assertThat(claimsOf(mapping, key)).isZero();
        assertRow(mapping, key, before, mapping.states().get(0), 2);
        assertThat(shop.bean(ClaimService.class).complete(lost, mapping.states().get(2)))
                .isEqualTo(ClaimEnd.TAKEN);
        assertRow(mapping, key, before, mapping.states().get(0), 2);
    }

    private static void free(Mapping mapping, Object key) {
        ClaimRecovery recoveries = other.bean(ClaimRecovery.class);
        assertThat(recoveries.release(recoveries
                        .find(mapping.table().name(), mapping.text(key))
                        .orElseThrow()))
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
