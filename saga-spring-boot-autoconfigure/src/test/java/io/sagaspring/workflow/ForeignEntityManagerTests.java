package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import java.sql.Savepoint;
import java.util.List;
import org.hibernate.Session;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.orm.ObjectOptimisticLockingFailureException;

/** The outcome of a step is always correct, no matter how its action uses the entity manager. */
class ForeignEntityManagerTests extends StepsOfForeignCode {

    @Test
    void anActionCanClearItsPersistenceContext() {
        acting((entity, context) -> {
            entities.clear();
            return ActionResult.success();
        });

        assertSent(2);
    }

    @Test
    void anActionCanDetachTheEntity() {
        acting((entity, context) -> {
            entities.detach(entity);
            return ActionResult.success();
        });

        assertSent(2);
    }

    /** Clearing the context drops the loaded version, so JPA does not check that version. */
    @Test
    void anEditByAnotherTransactionIsAConflictAfterTheActionClearsItsContext() {
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

    /**
     * After a savepoint, PostgreSQL records a write under the id of a subtransaction, as if another transaction had
     * written.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteAfterASavepointIsNotAConflict(boolean released) {
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
    void aWriteByAnotherTransactionAfterASavepointIsAConflict() {
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

    /**
     * The conflict is on an entity that the action has changed, not on the entity of the step. The exception names the
     * entity that the action has changed.
     */
    @Test
    void aConflictOnAnotherEntityReachesTheCallerAsAnException() {
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
    void anActionCanFlushAndThenClearItsContext() {
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
    void anActionCanMergeTheDetachedEntity() {
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
    void anActionCanRemoveAnEntityThatNoAfterEffectNeeds() {
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
    void anActionCannotRemoveAnEntityThatItsAfterEffectNeeds() {
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
    void anActionCanFlush() {
        acting((entity, context) -> {
            entity.note("flushed");
            entities.flush();
            return ActionResult.success();
        });

        assertSent(3);
        assertThat(shop.note(parcel)).isEqualTo("flushed");
    }

    @Test
    void theFlipOverwritesAStatusThatTheActionSets() {
        acting((entity, context) -> {
            entity.status(Parcel.Status.LOST);
            entities.flush();
            return ActionResult.success();
        });

        assertSent(3);
    }

    @Test
    void anActionCanLockTheEntity() {
        acting((entity, context) -> {
            entities.lock(entity, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
            entities.lock(entity, LockModeType.OPTIMISTIC_FORCE_INCREMENT);
            return ActionResult.success();
        });

        assertThat(shop.send(parcel)).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(shop.status(parcel)).isEqualTo("SENT");
        assertThat(shop.claims()).isZero();
    }

    /**
     * Hibernate does not write read-only entities. Without a guard, the claim would be removed, but the entity would
     * stay in its claim state.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anActionCanMakeItsEntityOrItsSessionReadOnly(boolean all) {
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
    void aLockingFailureThatDoesNotNameTheStepsEntityIsNotAConflict() {
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
    void aLockingFailureThatNamesTheStepsEntityIsAConflict() {
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
}
