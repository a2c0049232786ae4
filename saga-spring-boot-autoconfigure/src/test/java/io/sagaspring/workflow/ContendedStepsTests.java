package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.ADMIN;
import static io.sagaspring.shop.Shop.SYSTEM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.Keeper;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import jakarta.persistence.EntityManager;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** While a step is executing, other callers, the keeper, the janitor and other code change its entity. */
class ContendedStepsTests extends StepsOnAnyPool {

    ContendedStepsTests(PoolSettings settings) {
        super(settings);
    }

    @Test
    void theClaimIsCommittedBeforeTheActionBegins() {
        shop.script().action = (entity, context) -> {
            assertThat(shop.status(parcel)).isEqualTo("SENDING");
            assertThat(shop.claims()).isOne();
            assertThat(entity.status()).isEqualTo(Parcel.Status.SENDING);
            assertThat(context.token()).isPresent();
            return ActionResult.success("done");
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", "done"));
    }

    @Test
    void aCallerThatGetsNoClaimNeverRunsTheAction() {
        AtomicInteger executions = new AtomicInteger();
        shop.script().action = (entity, context) -> {
            executions.incrementAndGet();
            assertThat(OwnThread.call(() -> shop.send(parcel)).get(20, SECONDS))
                    .isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(executions).hasValue(1);
    }

    @Test
    void theVersionOfARequestMustMatchTheEntity() {
        TransitionRequest request = TransitionRequest.of("parcel", parcel, "send", ADMIN);

        assertThat(shop.workflows().run(request.ofVersion(7))).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.workflows().run(request.ofVersion(0))).isInstanceOf(TransitionOutcome.Completed.class);
    }

    @Test
    void aRequesterWithoutAClaimStateStillGetsTheVersionCheck() {
        shop.script().action = (entity, context) -> {
            entity.note("mine");
            editInAnotherTransaction("theirs");
            return ActionResult.success();
        };

        assertThat(shop.workflows().run("parcel", parcel, "send", SYSTEM)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.note(parcel)).isEqualTo("theirs");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aRequesterWithoutAClaimStateGetsClaimFailedForAClaimedEntity() {
        shop.script().action = (entity, context) -> {
            assertThat(OwnThread.call(() -> shop.workflows().run("parcel", parcel, "send", SYSTEM))
                            .get(20, SECONDS))
                    .isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
            return ActionResult.success();
        };

        shop.send(parcel);
    }

    @Test
    void anEditOfAClaimedEntityIsAConflictAndIsNotLost() {
        shop.script().action = (entity, context) -> {
            entity.note("mine");
            editInAnotherTransaction("theirs");
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEqualTo("theirs");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aStepThatLostItsClaimCommitsNothing() {
        shop.script().action = (entity, context) -> {
            entity.note("late");
            revertTheClaim();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
    }

    @Test
    void aLostClaimIsReportedEvenIfTheActionDetectsTheNewVersionFirst() {
        shop.script().action = (entity, context) -> {
            entity.note("late");
            revertTheClaim();
            shop.bean(EntityManager.class).flush();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEmpty();
    }

    @Test
    void aStatusThatOtherCodeHasChangedSurvivesTheReleaseOfTheClaim() {
        shop.script().action = (entity, context) -> {
            OwnThread.run(() -> shop.database()
                            .sql("UPDATE parcel SET status = 'LOST', version = version + 1 WHERE id = ?")
                            .param(parcel)
                            .update())
                    .get(20, SECONDS);
            return ActionResult.failure("no courier");
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Failed("no courier"));
        assertThat(shop.status(parcel)).isEqualTo("LOST");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void exactlyOneOfSixteenCallersRunsTheAction() throws Exception {
        AtomicInteger executions = new AtomicInteger();
        shop.script().action = (entity, context) -> {
            executions.incrementAndGet();
            return ActionResult.success();
        };
        CyclicBarrier barrier = new CyclicBarrier(16);
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Future<TransitionOutcome>> callers = threads.invokeAll(Collections.nCopies(16, () -> {
                barrier.await(20, SECONDS);
                return shop.send(parcel);
            }));
            int completed = 0;
            for (Future<TransitionOutcome> caller : callers) {
                TransitionOutcome outcome = caller.get(20, SECONDS);
                completed += outcome instanceof TransitionOutcome.Completed ? 1 : 0;
                assertThat(outcome)
                        .isInstanceOfAny(
                                TransitionOutcome.Completed.class,
                                TransitionOutcome.ClaimFailed.class,
                                TransitionOutcome.NotApplicable.class);
            }
            assertThat(completed).isOne();
        } finally {
            threads.shutdownNow();
        }
        assertThat(executions).hasValue(1);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void heartbeatsAndSweepsDoNotMakeAnActionFail() {
        shop.script().action = (entity, context) -> {
            entity.note("before");
            shop.bean(jakarta.persistence.EntityManager.class).flush();
            heartbeatAndSweep();
            entity.note("after");
            heartbeatAndSweep();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.note(parcel)).isEqualTo("after");
    }

    private void heartbeatAndSweep() throws Exception {
        String before = aliveAt();
        OwnThread.run(() -> {
                    shop.bean(Keeper.class).beat();
                    shop.sweep();
                })
                .get(20, SECONDS);
        assertThat(aliveAt()).isNotEqualTo(before);
    }

    private String aliveAt() {
        return shop.database()
                .sql("SELECT alive_at::text FROM saga_claim")
                .query(String.class)
                .single();
    }

    private void revertTheClaim() throws Exception {
        OwnThread.run(() -> {
                    shop.database().sql("DELETE FROM saga_claim").update();
                    shop.database()
                            .sql("UPDATE parcel SET status = 'PACKED', version = version + 1 WHERE id = ?")
                            .param(parcel)
                            .update();
                })
                .get(20, SECONDS);
    }

    private void editInAnotherTransaction(String note) throws Exception {
        OwnThread.run(() -> shop.inTransaction(entities -> {
                    Parcel other = entities.find(Parcel.class, parcel);
                    other.note(note);
                    return null;
                }))
                .get(20, SECONDS);
    }
}
