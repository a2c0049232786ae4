package io.sagaspring.workflow;

import static io.sagaspring.shop.Shop.ADMIN;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.UnexpectedRollbackException;

/** Tests a single step from the caller's point of view. */
class WorkflowsTests extends StepsOnAnyPool {

    WorkflowsTests(PoolSettings settings) {
        super(settings);
    }

    @Test
    void aSuccessfulStepCommitsTheActionsWritesAndTheFlipTogether() {
        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));

        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.note(parcel)).isEqualTo("sent by admin");
        assertThat(shop.version(parcel)).isEqualTo(2);
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aRejectionByTheValidationReleasesTheClaim() {
        shop.script().validation = (entity, context) -> List.of("no address");

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Rejected(List.of("no address")));
        assertReleased();
    }

    @Test
    void aRejectionByTheActionRollsTheActionsWritesBack() {
        shop.script().action = (entity, context) -> {
            entity.note("lost");
            return ActionResult.invalid("too heavy");
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Rejected(List.of("too heavy")));
        assertReleased();
    }

    @Test
    void aFailedActionIsRolledBackAndItsClaimReleased() {
        shop.script().action = (entity, context) -> {
            entity.note("lost");
            return ActionResult.failure("no courier");
        };

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Failed("no courier"));
        assertReleased();
    }

    @Test
    void aCheckedExceptionReachesTheCallerUnchanged() {
        IOException thrown = new IOException("offline");
        shop.script().action = (entity, context) -> {
            entity.note("lost");
            throw thrown;
        };

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertReleased();
    }

    @Test
    void anErrorReachesTheCallerUnchanged() {
        AssertionError thrown = new AssertionError();
        shop.script().action = (entity, context) -> {
            throw thrown;
        };

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertReleased();
    }

    /**
     * The stack may have overflowed during a statement. The next statement on that connection would read the rest of
     * the answer to the interrupted statement.
     */
    @Test
    void aStackOverflowInAnActionClosesTheConnectionOfTheStep() {
        StackOverflowError thrown = new StackOverflowError();
        AtomicReference<Object> backend = new AtomicReference<>();
        String query = "SELECT pg_backend_pid()";
        shop.script().action = (entity, context) -> {
            shop.inTransaction(entities -> {
                backend.set(entities.createNativeQuery(query).getSingleResult());
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
    void anActionThatMarksItsTransactionRollbackOnlyFails() {
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
    void anInapplicableStepReportsTheApplicableSteps() {
        assertThat(shop.workflows().run("parcel", parcel, "lose", ADMIN))
                .isEqualTo(new TransitionOutcome.NotApplicable("PACKED", List.of("send")));
        shop.send(parcel);

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.NotApplicable("SENT", List.of("lose")));
    }

    @Test
    void aStepInsideATransactionIsRefusedWithAnExplanation() {
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
                .hasMessageContaining("'x' is not an id of Parcel");
    }

    @Test
    void theAfterEffectFollowsTheCommitWithAKeyOfTheStep() throws Exception {
        CompletableFuture<AfterEffectContext> delivered = new CompletableFuture<>();
        shop.script().afterEffect = (entity, context) -> {
            // The after-effect of an earlier test may still be delivered.
            if (entity.id() == parcel) {
                assertThat(entity.status()).isEqualTo(Parcel.Status.SENT);
                delivered.complete(context);
            }
        };

        shop.send(parcel);

        AfterEffectContext context = delivered.get(20, SECONDS);
        assertThat(context.key()).startsWith("parcel:%d:send:".formatted(parcel));
        assertThat(context.attempt()).isOne();
        assertThat(context.requester()).isEqualTo(ADMIN);
    }
}
