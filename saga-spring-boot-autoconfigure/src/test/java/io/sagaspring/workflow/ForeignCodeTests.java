package io.sagaspring.workflow;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The outcome of a step is always correct, no matter what the application's code does. */
class ForeignCodeTests extends StepsOfForeignCode {

    private static final AtomicReference<@Nullable Throwable> listenerThrows = new AtomicReference<>();

    @BeforeAll
    static void listenAndConstrain() {
        shop.context().addApplicationListener(new Listener());
        shop.database()
                .sql("ALTER TABLE parcel ADD CHECK (note <> 'forbidden')")
                .update();
        shop.database().sql("""
                        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN RAISE EXCEPTION ''too late'' USING ERRCODE = ''23514''; END'""").update();
        shop.database().sql("""
                        CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON parcel DEFERRABLE INITIALLY DEFERRED
                        FOR EACH ROW WHEN (NEW.note = 'refused at commit') EXECUTE FUNCTION refuse()""").update();
    }

    private static final class Listener implements ApplicationListener<PayloadApplicationEvent<TransitionFinished>> {

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<TransitionFinished> event) {
            Throwable thrown = listenerThrows.getAndSet(null);
            if (thrown != null) {
                throw SneakyThrow.thrown(thrown);
            }
        }
    }

    @BeforeEach
    void nothingIsThrown() {
        listenerThrows.set(null);
    }

    /** Without this check, Spring would refuse the commit, but would not name the action as the cause. */
    @Test
    void anActionThatSetsRollbackOnlyAndReportsSuccessFailsWithAnExplanation() {
        acting((entity, context) -> {
            new TransactionTemplate(shop.bean(PlatformTransactionManager.class))
                    .executeWithoutResult(TransactionStatus::setRollbackOnly);
            return ActionResult.success();
        });

        assertThatExceptionOfType(UnexpectedRollbackException.class)
                .isThrownBy(() -> shop.send(parcel))
                .withMessageContaining("marked its transaction rollback-only and then reported success");
        assertReleased();
    }

    @Test
    void anActionsOwnTransactionStaysCommittedIfTheActionFails() {
        AtomicReference<Long> other = new AtomicReference<>();
        acting((entity, context) -> {
            TransactionTemplate own = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
            own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            own.executeWithoutResult(status -> {
                Parcel made = new Parcel();
                entities.persist(made);
                other.set(made.id());
            });
            return ActionResult.failure("no courier");
        });

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Failed.class);
        assertThat(shop.status(other.get())).isEqualTo("PACKED");
        assertReleased();
    }

    @Test
    void aWriteInBeforeCommitIsCommitted() {
        acting((entity, context) -> {
            beforeCommit(() -> entity.note("at the last moment"));
            return ActionResult.success();
        });

        assertSent(2);
        assertThat(shop.note(parcel)).isEqualTo("at the last moment");
    }

    @Test
    void aWriteInBeforeCompletionIsCommitted() {
        long other = shop.pack();
        acting((entity, context) -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCompletion() {
                    entities.createQuery("update Parcel p set p.note = 'behind the fence' where p.id = :id")
                            .setParameter("id", other)
                            .executeUpdate();
                }
            });
            return ActionResult.success();
        });

        assertSent(2);
        assertThat(shop.note(other)).isEqualTo("behind the fence");
    }

    @Test
    void anExceptionBeforeTheCommitReachesTheCaller() {
        IllegalStateException thrown = new IllegalStateException("not today");
        acting((entity, context) -> {
            beforeCommit(() -> {
                throw thrown;
            });
            return ActionResult.success();
        });

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertReleased();
    }

    @Test
    @ExpectsErrors("is committed. The failure came after the commit")
    void anExceptionAfterTheCommitDoesNotChangeTheOutcome() {
        acting((entity, context) -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new IllegalStateException("too late");
                }
            });
            return ActionResult.success("done");
        });

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", "done"));
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.claims()).isZero();
    }

    @Test
    void aListenerThatThrowsAnExceptionDoesNotChangeTheOutcome() {
        acting((entity, context) -> ActionResult.success());
        listenerThrows.set(new IllegalStateException("nobody asked"));

        assertSent(2);
    }

    @Test
    void aListenerThatThrowsAnErrorDoesNotChangeTheOutcome() {
        acting((entity, context) -> ActionResult.success());
        listenerThrows.set(new NoClassDefFoundError("half deployed"));

        assertSent(2);
    }

    @Test
    @SuppressWarnings("NullAway") // Code without nullness checks may return null.
    void anActionThatReturnsNullFails() {
        acting((entity, context) -> null);

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> shop.send(parcel))
                .withMessageContaining("Action 'script' returned null. It must return ActionResult.success()");
        assertReleased();
    }

    @Test
    void anActionThatInterruptsItsOwnThreadStillSucceeds() {
        acting((entity, context) -> {
            Thread.currentThread().interrupt();
            return ActionResult.success();
        });

        assertSent(2);
        assertThat(Thread.interrupted()).as("the action's own interrupt").isTrue();
    }

    @Test
    void aConstraintViolationAtTheFlushReachesTheCallerAsSpringsException() {
        acting((entity, context) -> {
            entity.note("forbidden");
            return ActionResult.success();
        });

        assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> shop.send(parcel));
        assertReleased();
    }

    @Test
    void aConstraintViolationAtTheCommitReachesTheCaller() {
        acting((entity, context) -> {
            entity.note("refused at commit");
            return ActionResult.success();
        });

        assertThatThrownBy(() -> shop.send(parcel)).rootCause().hasMessageContaining("too late");
        assertReleased();
    }

    @Test
    void aStepInsideAnActionIsRefused() {
        long other = shop.pack();
        acting((entity, context) -> {
            shop.send(other);
            return ActionResult.success();
        });

        assertThatExceptionOfType(ActiveTransactionException.class).isThrownBy(() -> shop.send(parcel));
        assertReleased();
        assertThat(shop.status(other)).isEqualTo("PACKED");
    }

    @Test
    void aThreadOfAnActionCanRunStepsOnOtherEntitiesOnly() {
        long other = shop.pack();
        AtomicBoolean outer = new AtomicBoolean(true);
        acting((entity, context) -> {
            if (outer.getAndSet(false)) {
                assertThat(OwnThread.call(() -> shop.send(other)).get(20, SECONDS))
                        .isInstanceOf(TransitionOutcome.Completed.class);
                assertThat(OwnThread.call(() -> shop.send(parcel)).get(20, SECONDS))
                        .isEqualTo(new TransitionOutcome.ClaimFailed("SENDING"));
            }
            return ActionResult.success();
        });

        assertSent(2);
    }

    @Test
    void aStepCanRunWithPropagationSupportsAndNoTransaction() {
        acting((entity, context) -> ActionResult.success());
        TransactionTemplate supports = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
        supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);

        TransitionOutcome outcome = supports.execute(status -> shop.send(parcel));

        assertThat(outcome).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }
}
