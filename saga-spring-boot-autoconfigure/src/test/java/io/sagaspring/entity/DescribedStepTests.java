package io.sagaspring.entity;

import static io.sagaspring.entity.DescribedKind.AGGREGATE;
import static io.sagaspring.entity.DescribedKind.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.definition.Requester;
import io.sagaspring.entity.described.Described.Invoice;
import io.sagaspring.shop.Interference;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.EntityRemovedException;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionOutcome.Completed;
import io.sagaspring.workflow.UnknownException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The writes of an action and the flip at its end are committed together. Neither overwrites a change of another
 * transaction.
 */
class DescribedStepTests extends DescribedShop {

    private static volatile Shop node = shop;

    private static Invoices invoices() {
        return shop.bean(Invoices.class);
    }

    private static void saving(UnaryOperator<Invoice> change) {
        acting = (entity, context) -> {
            invoices().save(change.apply((Invoice) entity));
            return ActionResult.success();
        };
    }

    private static String note(Object key) {
        return invoices().findById((Long) key).orElseThrow().note();
    }

    @Test
    void theSavedAggregateAndTheFlipAreOneCommit() {
        Object key = AGGREGATE.save();
        saving(invoice -> {
            assertThat(invoice.status()).isEqualTo("CLOSING");
            return invoice.noted("saved");
        });

        assertThat(AGGREGATE.close(key)).isEqualTo(new Completed("CLOSED", null));
        assertThat(AGGREGATE.read(key)).as("claimed, saved, flipped").isEqualTo(new EntityRow("CLOSED", 3));
        assertThat(note(key)).isEqualTo("saved");
    }

    @Test
    void anActionCanWriteTheSuccessfulStateItself() {
        Object key = AGGREGATE.save();
        saving(invoice -> invoice.in("CLOSED").noted("saved"));

        assertThat(AGGREGATE.close(key)).isEqualTo(new Completed("CLOSED", null));
        assertThat(AGGREGATE.read(key)).isEqualTo(new EntityRow("CLOSED", 3));
    }

    @Test
    void anActionThatWritesAnotherStatusIsRolledBack() {
        Object key = AGGREGATE.save();
        saving(invoice -> invoice.in("OPEN").noted("saved"));

        assertThatIllegalStateException()
                .isThrownBy(() -> AGGREGATE.close(key))
                .withMessage(
                        "The action has written Invoice %s with the status 'OPEN', so the action was rolled back. Keep the status that the entity has in the action, or set the status 'CLOSED', which the library writes when the action ends.",
                        key);
        assertThat(AGGREGATE.read(key)).as("claimed and released").isEqualTo(new EntityRow("OPEN", 2));
        assertThat(note(key)).isEmpty();
        assertThat(claimsOf(AGGREGATE, key)).isZero();
    }

    /** Spring Data notices nothing, because the action does not save the aggregate. */
    @ParameterizedTest
    @ValueSource(strings = {"admin", "system"})
    void aChangeOfAnotherTransactionIsAConflict(String requester) {
        Object key = AGGREGATE.save();
        acting = (entity, context) -> {
            OwnThread.run(() -> AGGREGATE.write(key, "note = 'theirs'")).join();
            return ActionResult.success();
        };

        assertThat(AGGREGATE.close(key, Requester.of(requester))).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(AGGREGATE.read(key).status()).isEqualTo("OPEN");
        assertThat(note(key)).isEqualTo("theirs");
        assertThat(claimsOf(AGGREGATE, key)).isZero();
    }

    @Test
    void savingAnAggregateThatAnotherTransactionHasChangedIsAConflict() {
        Object key = AGGREGATE.save();
        saving(invoice -> {
            OwnThread.run(() -> AGGREGATE.write(key, "note = 'theirs'")).join();
            return invoice.noted("ours");
        });

        assertThat(AGGREGATE.close(key)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(note(key)).isEqualTo("theirs");
        assertThat(AGGREGATE.read(key).status()).isEqualTo("OPEN");
    }

    /** The action writes without checking the version, after another transaction has changed the status. */
    @Test
    void anActionDoesNotHideThatAnotherTransactionHasChangedTheStatus() {
        Object key = AGGREGATE.save();
        acting = (entity, context) -> {
            OwnThread.run(() -> AGGREGATE.writeStatus(key, "CANCELLED")).join();
            shop.bean(JdbcTemplate.class)
                    .update("UPDATE invoice SET note = 'ours', version = version + 1 WHERE id = ?", key);
            return ActionResult.success();
        };

        assertThatIllegalStateException().isThrownBy(() -> AGGREGATE.close(key));
        assertThat(AGGREGATE.read(key).status()).isEqualTo("CANCELLED");
        assertThat(note(key)).isEmpty();
    }

    @Test
    void aFailureAboutAnotherAggregateReachesTheCaller() {
        Object key = AGGREGATE.save();
        OptimisticLockingFailureException failure = new OptimisticLockingFailureException("another aggregate");
        acting = (entity, context) -> {
            throw failure;
        };

        assertThatExceptionOfType(OptimisticLockingFailureException.class)
                .isThrownBy(() -> AGGREGATE.close(key))
                .isSameAs(failure);
        assertThat(AGGREGATE.read(key)).isEqualTo(new EntityRow("OPEN", 2));
    }

    /** A row that is written after a savepoint has the number of a subtransaction, and not that of the transaction. */
    @Test
    void aChangeAfterASavepointCountsAsTheActionsOwn() {
        Object key = AGGREGATE.save();
        acting = (entity, context) -> {
            TransactionTemplate nested = new TransactionTemplate(shop.bean(PlatformTransactionManager.class));
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            nested.executeWithoutResult(status -> invoices().save(((Invoice) entity).noted("nested")));
            return ActionResult.success();
        };

        assertThat(AGGREGATE.close(key)).isEqualTo(new Completed("CLOSED", null));
        assertThat(note(key)).isEqualTo("nested");
    }

    @Test
    void anActionCanRemoveItsEntity() {
        Object key = AGGREGATE.save();
        acting = (entity, context) -> {
            invoices().deleteById((Long) key);
            return ActionResult.success();
        };

        assertThat(AGGREGATE.close(key)).isEqualTo(new Completed("CLOSED", null));
        assertThat(invoices().existsById((Long) key)).isFalse();
        assertThat(claimsOf(AGGREGATE, key)).isZero();
    }

    @Test
    void anActionWithAnAfterEffectCannotRemoveItsEntity() {
        Object key = AGGREGATE.save();
        acting = (entity, context) -> {
            invoices().deleteById((Long) key);
            return ActionResult.success();
        };

        assertThatExceptionOfType(EntityRemovedException.class).isThrownBy(() -> AGGREGATE.close(key, FOLLOWED));
        assertThat(AGGREGATE.read(key)).isEqualTo(new EntityRow("OPEN", 2));
    }

    @Test
    void anEntityThatAnotherTransactionHasRemovedIsAConflict() {
        Object key = AGGREGATE.save();
        acting = (entity, context) -> {
            OwnThread.run(() -> shop.database()
                            .sql("DELETE FROM invoice WHERE id = ?")
                            .param(key)
                            .update())
                    .join();
            write();
            return ActionResult.success();
        };

        assertThat(AGGREGATE.close(key)).isEqualTo(new TransitionOutcome.Conflict());
        assertThat(written()).isZero();
        assertThat(claimsOf(AGGREGATE, key)).isZero();
    }

    @Test
    void aStepWithoutAClaimStartsOnlyFromItsStatus() {
        Object key = LONG.save();
        LONG.writeStatus(key, "CLOSED");

        assertThat(LONG.close(key, Shop.SYSTEM)).isEqualTo(new TransitionOutcome.NotApplicable("CLOSED", List.of()));
        assertThat(executions).hasValue(0);
    }

    @Test
    void oneOfTwoCallersWithoutAClaimCommits() throws Exception {
        Object key = LONG.save();
        CyclicBarrier both = new CyclicBarrier(2);
        acting = (entity, context) -> {
            write();
            both.await(20, TimeUnit.SECONDS);
            return ActionResult.success();
        };
        List<CompletableFuture<TransitionOutcome>> callers = Stream.of(1, 2)
                .map(caller -> OwnThread.call(() -> LONG.close(key, Shop.SYSTEM)))
                .toList();

        assertThat(List.of(callers.get(0).get(), callers.get(1).get()))
                .containsExactlyInAnyOrder(new Completed("CLOSED", null), new TransitionOutcome.Conflict());
        assertThat(LONG.read(key)).isEqualTo(new EntityRow("CLOSED", 1));
        assertThat(written()).isOne();
    }

    @Test
    void anEntityThatItsLoaderDoesNotFindIsUnknownAndReleased() {
        Object key = AGGREGATE.save();
        // Hides the row from the loader.
        shop.interference().with(new Interference.Around() {
            @Override
            public String sent(String sql) {
                return sql.startsWith("SELECT \"invoice\"") ? sql.replace("WHERE", "WHERE false AND") : sql;
            }
        });

        assertThatExceptionOfType(UnknownException.Entity.class).isThrownBy(() -> AGGREGATE.close(key));
        shop.interference().none();
        assertThat(AGGREGATE.read(key)).isEqualTo(new EntityRow("OPEN", 2));
        assertThat(executions).hasValue(0);
    }

    /** Spring treats a TransactionException from a callback as a failed commit, and does not roll back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionExceptionBeforeTheCommitRollsTheStepBack(boolean rolledBack) {
        Object key = LONG.save();
        TransactionException thrown = rolledBack
                ? new UnexpectedRollbackException("before the commit")
                : new TransactionSystemException("before the commit");
        acting = (entity, context) -> {
            write();
            beforeCommit(() -> {
                throw thrown;
            });
            return ActionResult.success();
        };

        assertThatExceptionOfType(TransactionException.class)
                .isThrownBy(() -> LONG.close(key))
                .isSameAs(thrown);
        assertThat(written()).isZero();
        assertThat(LONG.read(key)).isEqualTo(new EntityRow("OPEN", 2));
    }

    @Test
    void aStepWritesNothingIfItsTransactionIsSetToRollbackOnlyBeforeTheCommit() {
        Object key = LONG.save();
        acting = (entity, context) -> {
            write();
            beforeCommit(() -> new TransactionTemplate(shop.bean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> status.setRollbackOnly()));
            return ActionResult.success();
        };

        assertThatExceptionOfType(UnexpectedRollbackException.class).isThrownBy(() -> LONG.close(key));
        assertThat(written()).isZero();
        assertThat(LONG.read(key)).isEqualTo(new EntityRow("OPEN", 2));
    }

    @Test
    void twoSpellingsOfOneIdShareOneClaim() {
        Object key = DescribedKind.PADDED_TEXT.save();
        String padded = key + "   ";
        Claim claim = granted(DescribedKind.PADDED_TEXT.claim(padded));

        assertThat(claim.key()).isEqualTo(key);
        assertThat(DescribedKind.PADDED_TEXT.claim(key)).isInstanceOf(ClaimAttempt.Refused.class);
    }

    @Test
    void anActionRunsAtReadCommittedWhateverTheDefaultOfThePoolIs() {
        Object key = LONG.save();
        AtomicReference<String> isolation = new AtomicReference<>();
        acting = (entity, context) -> {
            isolation.set(JdbcClient.create(node.bean(DataSource.class))
                    .sql("SHOW transaction_isolation")
                    .query(String.class)
                    .single());
            return ActionResult.success();
        };
        try (Shop strict =
                open(application -> {}, "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE")) {
            node = strict;
            assertThat(strict.workflows().run(LONG.workflow(), key, "close", Shop.ADMIN))
                    .isInstanceOf(Completed.class);
        }
        assertThat(isolation).hasValue("read committed");
    }

    @Test
    void aFlipSetsTheTimeOfTheLastChange() {
        Object key = DescribedKind.MODIFIED.save();

        assertThat(DescribedKind.MODIFIED.close(key)).isInstanceOf(Completed.class);
        assertThat(shop.database()
                        .sql("SELECT changed_at > clock_timestamp() - INTERVAL '1 minute' FROM modified WHERE id = ?")
                        .param(key)
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    private static void beforeCommit(Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                callback.run();
            }
        });
    }

    private static void write() {
        shop.bean(JdbcTemplate.class).update("INSERT INTO written VALUES (1)");
    }

    private static int written() {
        int found = shop.database()
                .sql("SELECT count(*) FROM written")
                .query(Integer.class)
                .single();
        shop.database().sql("DELETE FROM written").update();
        return found;
    }
}
