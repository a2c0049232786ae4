package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.ADMIN;
import static io.sagaspring.shop.Shop.SYSTEM;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.fence.Keeper;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.UnexpectedRollbackException;

/** What one step does, seen from its caller, whatever the application has set for its pool. */
@ParameterizedClass
@EnumSource(names = "NO_AUTO_COMMIT_AND_SERIALIZABLE", mode = EnumSource.Mode.EXCLUDE)
class WorkflowsTests {

    private static @Nullable TestDatabase database;
    private static @Nullable Shop opened;

    private final Shop shop = Objects.requireNonNull(opened);
    private final long parcel = shop.pack();

    WorkflowsTests(PoolSettings settings) {
        assertThat(settings).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void open(PoolSettings settings) {
        database = TestDatabase.create(MigratedSchema.class);
        opened = Shop.open(database, settings.and("saga.keeper.own-connection=false"));
    }

    @AfterParameterizedClassInvocation
    static void close() {
        Objects.requireNonNull(opened).close();
        Objects.requireNonNull(database).close();
    }

    @BeforeEach
    void asItWasWritten() {
        shop.script().action = (entity, context) -> {
            entity.note("sent by " + context.requester());
            return ActionResult.success();
        };
        shop.script().validation = (entity, context) -> List.of();
        shop.script().afterEffect = (entity, context) -> {};
    }

    @Test
    void aSuccessCommitsTheActionsWritesAndTheFlipTogether() {
        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));

        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.note(parcel)).isEqualTo("sent by admin");
        assertThat(shop.version(parcel)).isEqualTo(2);
        assertThat(shop.claims()).isZero();
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
    void aLosingCallerNeverEntersTheAction() {
        AtomicInteger bodies = new AtomicInteger();
        shop.script().action = (entity, context) -> {
            bodies.incrementAndGet();
            assertThat(OwnThread.call(() -> shop.send(parcel)).get(20, SECONDS))
                    .isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(bodies).hasValue(1);
    }

    @Test
    void anObjectionOfTheValidationReleasesTheClaim() {
        shop.script().validation = (entity, context) -> List.of("no address");

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Rejected(List.of("no address")));
        assertReleased();
    }

    @Test
    void anObjectionOfTheActionRollsItsWritesBack() {
        shop.script().action = (entity, context) -> {
            entity.note("lost");
            return ActionResult.invalid("too heavy");
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Rejected(List.of("too heavy")));
        assertReleased();
    }

    @Test
    void aFailureRollsBackAndReleases() {
        shop.script().action = (entity, context) -> {
            entity.note("lost");
            return ActionResult.failure("no courier");
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Failed("no courier"));
        assertReleased();
    }

    @Test
    void anExceptionReachesTheCallerAsItIsAlsoWhereItIsChecked() {
        IOException thrown = new IOException("offline");
        shop.script().action = (entity, context) -> {
            entity.note("lost");
            throw thrown;
        };

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertReleased();
    }

    @Test
    void anErrorReachesTheCallerAsItIs() {
        AssertionError thrown = new AssertionError();
        shop.script().action = (entity, context) -> {
            throw thrown;
        };

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertReleased();
    }

    /** It may have ended within a statement, and the next one would read what that has left. */
    @Test
    void aStackThatEndsInAnActionIsTheEndOfItsConnection() {
        StackOverflowError thrown = new StackOverflowError();
        AtomicReference<Object> backend = new AtomicReference<>();
        String ask = "SELECT pg_backend_pid()";
        shop.script().action = (entity, context) -> {
            shop.inTransaction(entities -> {
                backend.set(entities.createNativeQuery(ask).getSingleResult());
                return null;
            });
            throw thrown;
        };

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);

        assertReleased();
        assertThat(JdbcClient.create(shop.bean(DataSource.class))
                        .sql("SELECT count(*) FROM pg_stat_activity WHERE pid = ?")
                        .param(backend.get())
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void anActionThatMarksItsTransactionRollbackOnlyIsNoSuccess() {
        shop.script().action = (entity, context) -> {
            shop.inTransaction(entities -> {
                org.springframework.transaction.support.TransactionSynchronizationManager.getCurrentTransactionName();
                return null;
            });
            new org.springframework.transaction.support.TransactionTemplate(
                            shop.bean(org.springframework.transaction.PlatformTransactionManager.class))
                    .executeWithoutResult(status -> status.setRollbackOnly());
            return ActionResult.success();
        };

        assertThatExceptionOfType(UnexpectedRollbackException.class).isThrownBy(() -> shop.send(parcel));
        assertReleased();
    }

    @Test
    void aStepThatDoesNotStartThereNamesWhatDoes() {
        assertThat(shop.workflows().run("parcel", parcel, "lose", ADMIN))
                .isEqualTo(new TransitionOutcome.NotApplicable("PACKED", List.of("send")));
        shop.send(parcel);

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.NotApplicable("SENT", List.of("lose")));
    }

    @Test
    void aStatedVersionMustBeTheEntitys() {
        TransitionRequest request = TransitionRequest.of("parcel", parcel, "send", ADMIN);

        assertThat(shop.workflows().run(request.ofVersion(7))).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.workflows().run(request.ofVersion(0))).isInstanceOf(TransitionOutcome.Completed.class);
    }

    @Test
    void aRequesterWithoutAClaimStateKeepsTheVersionCheck() {
        shop.script().action = (entity, context) -> {
            entity.note("mine");
            editBeside("theirs");
            return ActionResult.success();
        };

        assertThat(shop.workflows().run("parcel", parcel, "send", SYSTEM)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.note(parcel)).isEqualTo("theirs");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void aRequesterWithoutAClaimStateMeetsAClaimAsAnyOther() {
        shop.script().action = (entity, context) -> {
            assertThat(OwnThread.call(() -> shop.workflows().run("parcel", parcel, "send", SYSTEM))
                            .get(20, SECONDS))
                    .isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
            return ActionResult.success();
        };

        shop.send(parcel);
    }

    @Test
    void anUnrelatedEditWhileClaimedIsAConflictAndLosesNothing() {
        shop.script().action = (entity, context) -> {
            entity.note("mine");
            editBeside("theirs");
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEqualTo("theirs");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aClaimThatWasTakenAwayCommitsNothing() {
        shop.script().action = (entity, context) -> {
            entity.note("late");
            takeTheClaimAway();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
    }

    @Test
    void aClaimThatWasTakenAwayIsLostAlsoWhereTheActionItselfNoticesTheOtherVersion() {
        shop.script().action = (entity, context) -> {
            entity.note("late");
            takeTheClaimAway();
            shop.bean(EntityManager.class).flush();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.ClaimLost());
        assertThat(shop.note(parcel)).isEmpty();
    }

    @Test
    void aStatusThatTheUsersOwnCodeMovedStays() {
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
    void insideATransactionAStepRefusesAndExplains() {
        assertThatExceptionOfType(ActiveTransactionException.class)
                .isThrownBy(() -> shop.inTransaction(entities -> shop.send(parcel)))
                .withMessageContaining("@Transactional");
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
    }

    @Test
    void unknownWorkflowsStepsEntitiesAndRequestersAreRefused() {
        assertThatThrownBy(() -> shop.workflows().run("parcels", parcel, "send", ADMIN))
                .isInstanceOf(UnknownException.Workflow.class)
                .hasMessageContaining("[parcel]");
        assertThatThrownBy(() -> shop.workflows().run("parcel", parcel, "sent", ADMIN))
                .isInstanceOf(UnknownException.Step.class)
                .hasMessageContaining("[send, lose]");
        assertThatThrownBy(() -> shop.workflows().run("parcel", 4711, "send", ADMIN))
                .isInstanceOf(UnknownException.Entity.class)
                .hasMessage("There is no Parcel 4711.");
        assertThatThrownBy(() -> shop.workflows().run("parcel", parcel, "send", Requester.of("admn")))
                .isInstanceOf(UnknownException.UnknownRequester.class)
                .hasMessageContaining("[admin, system]");
        assertThatThrownBy(() -> shop.workflows().run("parcel", "x", "send", ADMIN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'x' is no id of Parcel");
    }

    @Test
    void theAfterEffectFollowsTheCommitWithAStableKey() throws Exception {
        CompletableFuture<AfterEffectContext> delivered = new CompletableFuture<>();
        shop.script().afterEffect = (entity, context) -> {
            assertThat(entity.status()).isEqualTo(Parcel.Status.SENT);
            delivered.complete(context);
        };

        shop.send(parcel);

        AfterEffectContext context = delivered.get(20, SECONDS);
        assertThat(context.key()).startsWith("parcel:%d:send:".formatted(parcel));
        assertThat(context.attempt()).isOne();
        assertThat(context.requester()).isEqualTo(ADMIN);
    }

    @Test
    void ofSixteenCallersExactlyOneEntersTheAction() throws Exception {
        AtomicInteger bodies = new AtomicInteger();
        shop.script().action = (entity, context) -> {
            bodies.incrementAndGet();
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
        assertThat(bodies).hasValue(1);
        assertThat(shop.version(parcel)).isEqualTo(2);
    }

    @Test
    void keeperAndJanitorDoNotMakeAnActionFail() {
        shop.script().action = (entity, context) -> {
            entity.note("before");
            shop.bean(jakarta.persistence.EntityManager.class).flush();
            beatAndSweep();
            entity.note("after");
            beatAndSweep();
            return ActionResult.success();
        };

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.note(parcel)).isEqualTo("after");
    }

    private void beatAndSweep() throws Exception {
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

    private void assertReleased() {
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.claims()).isZero();
    }

    private void editBeside(String note) throws Exception {
        OwnThread.run(() -> shop.inTransaction(entities -> {
                    Parcel other = entities.find(Parcel.class, parcel);
                    other.note(note);
                    return null;
                }))
                .get(20, SECONDS);
    }

    private void takeTheClaimAway() throws Exception {
        OwnThread.run(() -> {
                    shop.database().sql("DELETE FROM saga_claim").update();
                    shop.database()
                            .sql("UPDATE parcel SET status = 'PACKED', version = version + 1 WHERE id = ?")
                            .param(parcel)
                            .update();
                })
                .get(20, SECONDS);
    }
}
