package io.sagaspring.workflow;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.fence.ActiveTransactionException;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import java.sql.Savepoint;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.orm.ObjectOptimisticLockingFailureException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Code of the application may do what it likes; a step's outcome is true nevertheless. */
class ForeignCodeTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(database);
    private static final AtomicReference<@Nullable Throwable> listenerThrows = new AtomicReference<>();

    static {
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

    private final long parcel = shop.pack();
    private final EntityManager entities = shop.bean(EntityManager.class);

    private static final class Listener implements ApplicationListener<PayloadApplicationEvent<TransitionFinished>> {

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<TransitionFinished> event) {
            Throwable thrown = listenerThrows.getAndSet(null);
            if (thrown != null) {
                throw SneakyThrow.thrown(thrown);
            }
        }
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void asItWasWritten() {
        shop.script().validation = (entity, context) -> List.of();
        shop.script().afterEffect = (entity, context) -> {};
        listenerThrows.set(null);
    }

    @Test
    void anActionMayEmptyItsContext() {
        acting((entity, context) -> {
            entities.clear();
            return ActionResult.success();
        });

        assertSent(2);
    }

    @Test
    void anActionMayDetachTheEntity() {
        acting((entity, context) -> {
            entities.detach(entity);
            return ActionResult.success();
        });

        assertSent(2);
    }

    /** JPA's own check goes with its memory of what it had loaded. */
    @Test
    void anActionThatEmptiesItsContextOverlooksNoEditOfAnother() {
        acting((entity, context) -> {
            OwnThread.run(() -> shop.inTransaction(other -> {
                        other.find(Parcel.class, parcel).note("by another");
                        return null;
                    }))
                    .join();
            entities.clear();
            return ActionResult.success();
        });

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEqualTo("by another");
        assertThat(shop.claims()).isZero();
    }

    /** The database numbers what is written behind a savepoint as if another transaction had written it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteBehindASavepointIsNoEditOfAnother(boolean released) {
        acting((entity, context) -> {
            entities.unwrap(Session.class).doWork(connection -> {
                Savepoint savepoint = connection.setSavepoint();
                entities.createNativeQuery(
                                "UPDATE parcel SET note = 'saved', version = version + 1 WHERE id = " + parcel)
                        .executeUpdate();
                if (released) {
                    connection.releaseSavepoint(savepoint);
                }
            });
            entities.clear();
            return ActionResult.success();
        });

        assertSent(3);
        assertThat(shop.note(parcel)).isEqualTo("saved");
    }

    @Test
    void aWriteOfAnotherBehindASavepointIsNotOverlooked() {
        acting((entity, context) -> {
            entities.persist(new Parcel());
            OwnThread.run(() -> shop.inTransaction(other -> {
                        other.unwrap(Session.class).doWork(connection -> {
                            connection.setSavepoint();
                            other.find(Parcel.class, parcel).note("by another");
                            other.flush();
                        });
                        return null;
                    }))
                    .join();
            entities.clear();
            return ActionResult.success();
        });

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(shop.note(parcel)).isEqualTo("by another");
    }

    /** It was the action that met another change, not the step: the caller is told which. */
    @Test
    void aConflictOnAnotherEntityIsNotTheSteps() {
        long other = shop.pack();
        acting((entity, context) -> {
            entities.find(Parcel.class, other).note("by the action");
            OwnThread.run(() -> shop.inTransaction(apart -> {
                        apart.find(Parcel.class, other).note("by another");
                        return null;
                    }))
                    .join();
            return ActionResult.success();
        });

        assertThatThrownBy(() -> shop.send(parcel))
                .isInstanceOfSatisfying(
                        ObjectOptimisticLockingFailureException.class,
                        failure -> assertThat(failure.getIdentifier()).isEqualTo(other));
        assertReleased();
    }

    @Test
    void anActionMayFlushAndThenEmptyItsContext() {
        acting((entity, context) -> {
            entity.note("flushed");
            entities.flush();
            entities.clear();
            return ActionResult.success();
        });

        assertSent(3);
        assertThat(shop.note(parcel)).isEqualTo("flushed");
    }

    @Test
    void anActionMayMergeWhatItHasDetached() {
        acting((entity, context) -> {
            entities.detach(entity);
            entity.note("merged");
            entities.merge(entity);
            entities.flush();
            entities.clear();
            return ActionResult.success();
        });

        assertSent(3);
        assertThat(shop.note(parcel)).isEqualTo("merged");
    }

    @Test
    void anActionMayRemoveTheEntityWhereNothingLooksForItAfterwards() {
        acting((entity, context) -> ActionResult.success());
        shop.send(parcel);
        acting((entity, context) -> {
            entities.remove(entity);
            return ActionResult.success();
        });

        assertThat(shop.workflows().run("parcel", parcel, "lose", Shop.ADMIN))
                .isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.database()
                        .sql("SELECT count(*) FROM parcel WHERE id = ?")
                        .param(parcel)
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void anActionMayNotRemoveWhatItsAfterEffectIsToBeGiven() {
        acting((entity, context) -> {
            entities.remove(entity);
            return ActionResult.success();
        });

        assertThatThrownBy(() -> shop.send(parcel))
                .isInstanceOf(EntityRemovedException.class)
                .hasMessageContaining("after-effect 'script'");
        assertReleased();
    }

    @Test
    void anActionMayFlush() {
        acting((entity, context) -> {
            entity.note("flushed");
            entities.flush();
            return ActionResult.success();
        });

        assertSent(3);
        assertThat(shop.note(parcel)).isEqualTo("flushed");
    }

    @Test
    void anActionThatSetsTheStatusItselfIsOverruled() {
        acting((entity, context) -> {
            entity.status(Parcel.Status.LOST);
            entities.flush();
            return ActionResult.success();
        });

        assertSent(3);
    }

    @Test
    void anActionMayLockTheEntity() {
        acting((entity, context) -> {
            entities.lock(entity, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
            entities.lock(entity, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
            return ActionResult.success();
        });

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.claims()).isZero();
    }

    /** Spring would refuse the commit as well, without saying who is to blame. */
    @Test
    void anActionThatMarksItsTransactionRollbackOnlyAndReportsSuccessIsNamed() {
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

    /** What is read-only is not written, and the claim would be gone with the entity still in its claim state. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anActionMayMakeItsSessionReadOnly(boolean all) {
        acting((entity, context) -> {
            Session session = entities.unwrap(Session.class);
            session.setDefaultReadOnly(all);
            session.setReadOnly(entity, true);
            if (all) {
                entities.clear();
            }
            return ActionResult.success();
        });

        assertSent(2);
    }

    @Test
    void aBulkUpdateThatRaisesTheVersionIsAConflict() {
        acting((entity, context) -> {
            entities.createQuery("update versioned Parcel p set p.note = 'bulk' where p.id = :id")
                    .setParameter("id", parcel)
                    .executeUpdate();
            return ActionResult.success();
        });

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
        assertReleased();
    }

    @Test
    void theOwnTransactionOfAFailedActionStaysCommitted() {
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
    void aWriteBeforeTheCommitIsCommittedWithIt() {
        acting((entity, context) -> {
            beforeCommit(() -> entity.note("at the last moment"));
            return ActionResult.success();
        });

        assertSent(2);
        assertThat(shop.note(parcel)).isEqualTo("at the last moment");
    }

    @Test
    void aWriteBeforeTheCompletionIsCommittedWithIt() {
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
    void anExceptionAfterTheCommitChangesNothing() {
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
    void aListenerThatThrowsChangesNothing() {
        acting((entity, context) -> ActionResult.success());
        listenerThrows.set(new IllegalStateException("nobody asked"));

        assertSent(2);
    }

    @Test
    void aListenerThatThrowsAnErrorChangesNothing() {
        acting((entity, context) -> ActionResult.success());
        listenerThrows.set(new NoClassDefFoundError("half deployed"));

        assertSent(2);
    }

    @Test
    @SuppressWarnings("NullAway") // Plain Java code may return it.
    void nullIsNoResult() {
        acting((entity, context) -> null);

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> shop.send(parcel))
                .withMessageContaining("Action 'script' returned null. It must return ActionResult.success()");
        assertReleased();
    }

    @Test
    void anActionMayInterruptItself() {
        acting((entity, context) -> {
            Thread.currentThread().interrupt();
            return ActionResult.success();
        });

        assertSent(2);
        assertThat(Thread.interrupted()).as("the action's own interrupt").isTrue();
    }

    @Test
    void aFailureAboutAnotherEntityIsNoConflict() {
        long other = shop.pack();
        for (RuntimeException thrown : List.of(
                new ObjectOptimisticLockingFailureException(Parcel.class, other),
                new ObjectOptimisticLockingFailureException("com.example.Other", parcel),
                new OptimisticLockException(
                        "stale", null, shop.inTransaction(found -> found.find(Parcel.class, other))),
                new OptimisticLockException("stale"))) {
            acting((entity, context) -> {
                throw thrown;
            });

            assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
            assertReleased();
        }
    }

    @Test
    void aFailureAboutThisEntityIsAConflict() {
        for (RuntimeException thrown : List.of(
                new ObjectOptimisticLockingFailureException(Parcel.class, parcel),
                new OptimisticLockException(
                        "stale", null, shop.inTransaction(found -> found.find(Parcel.class, parcel))))) {
            acting((entity, context) -> {
                throw thrown;
            });

            assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Conflict());
            assertReleased();
        }
    }

    @Test
    void aConstraintThatIsViolatedAtTheFlushReachesTheCallerAsSpringTellsIt() {
        acting((entity, context) -> {
            entity.note("forbidden");
            return ActionResult.success();
        });

        assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> shop.send(parcel));
        assertReleased();
    }

    @Test
    void aConstraintThatIsViolatedAtTheCommitReachesTheCaller() {
        acting((entity, context) -> {
            entity.note("refused at commit");
            return ActionResult.success();
        });

        assertThatThrownBy(() -> shop.send(parcel)).rootCause().hasMessageContaining("too late");
        assertReleased();
    }

    @Test
    void aStepInsideAnActionRefuses() {
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
    void aThreadOfTheActionMayRunOtherStepsAndMeetsTheClaim() {
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
    void aStepMayRunInATransactionThatIsNone() {
        acting((entity, context) -> ActionResult.success());
        TransactionTemplate supports = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
        supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);

        TransitionOutcome outcome = supports.execute(status -> shop.send(parcel));

        assertThat(outcome).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private static void acting(StepAction<Parcel> action) {
        shop.script().action = action;
    }

    private static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }

    private void assertSent(long version) {
        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.version(parcel)).isEqualTo(version);
        assertThat(shop.claims()).isZero();
    }

    private void assertReleased() {
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.note(parcel)).isEmpty();
        assertThat(shop.claims()).isZero();
    }
}
