package io.sagaspring.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls on a PostgreSQL lease join the caller's transaction. */
@Timeout(60)
class LeasesInTransactionsTests {

    private static final Duration TTL = Duration.ofMinutes(1);
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final DataSource connections = database.dataSource();
    private static final SagaSchema schema = SagaSchema.migrate(connections, null);
    private static final JdbcClient jdbc = JdbcClient.create(connections);

    private final TransactionTemplate transaction =
            new TransactionTemplate(new DataSourceTransactionManager(connections));
    private final LeaseName name =
            LeaseName.of("transactions", UUID.randomUUID().toString());

    @AutoClose
    private final Keeper keeper = new Keeper(connections, Duration.ofSeconds(20), ElapsedClock.OF_THIS_MACHINE);

    private final LeaseManager leases = new LeaseManager(
            new PostgresLeaseStore(schema, new OwnTransactions(connections), connections, Duration.ofDays(30)),
            keeper,
            "node",
            TTL,
            List.of());

    @AfterAll
    static void drop() {
        database.close();
    }

    /** Executes work on a connection outside the current transaction. */
    private static <T> T outside(Supplier<T> work) {
        return OwnThread.call(work).orTimeout(20, SECONDS).join();
    }

    private void expire() {
        jdbc.sql("UPDATE saga_lease SET expires_at = clock_timestamp() WHERE name = ?")
                .param(name.value())
                .update();
    }

    @Test
    void aGuardPreventsATakeoverUntilTheTransactionEnds() {
        Lease lease = leases.acquire(name);

        transaction.executeWithoutResult(status -> {
            assertThat(lease.guard().isHeld()).isTrue();
            // The lease expires before the transaction ends.
            assertThat(jdbc.sql("UPDATE saga_lease SET expires_at = clock_timestamp() WHERE name = ?")
                            .param(name.value())
                            .update())
                    .isOne();
            assertThat(outside(() -> leases.tryAcquire(name))).isInstanceOf(Acquisition.AlreadyClaimed.class);
        });

        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void aGuardInATransactionReportsALostLease() {
        Lease lease = leases.acquire(name);
        expire();
        FencingToken successor = leases.acquire(name).token();

        assertThat(transaction.<Guard>execute(status -> lease.guard())).isEqualTo(new Guard.AlreadyClaimed(successor));
    }

    /** Before the commit, the next holder could not see the work that was done under the lease. */
    @Test
    void aClosedLeaseIsReleasedWhenTheTransactionCommits() {
        Lease lease = leases.acquire(name);

        transaction.executeWithoutResult(status -> {
            assertThat(lease.guard().isHeld()).isTrue();
            lease.close();
            assertThat(outside(() -> leases.tryAcquire(name))).isInstanceOf(Acquisition.AlreadyClaimed.class);
        });

        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void aCompletionIsRolledBackWithItsTransaction() {
        Lease lease = leases.acquire(name);

        transaction.executeWithoutResult(status -> {
            assertThat(lease.guard().isHeld()).isTrue();
            assertThat(lease.complete(Completion.PASSED)).isEqualTo(new Guard.AlreadyPassed(Completion.PASSED));
            status.setRollbackOnly();
        });

        assertThat(leases.guard(name, lease.token()).isHeld()).isTrue();
        assertThat(leases.complete(name, lease.token(), Completion.PASSED))
                .isEqualTo(new Guard.AlreadyPassed(Completion.PASSED));
    }

    /** If the completion is rolled back, it has not ended the lease, so closing the lease releases it. */
    @Test
    void aLeaseIsStillHeldAfterItsCompletionIsRolledBack() {
        try (Lease lease = leases.acquire(name)) {
            transaction.executeWithoutResult(status -> {
                lease.complete(Completion.PASSED);
                status.setRollbackOnly();
            });
            keeper.beat();

            assertThat(lease.isLost()).isFalse();
            assertThat(lease.guard().isHeld()).isTrue();
            assertThat(keeper.holds()).hasSize(1);
        }
        assertThat(keeper.holds()).isEmpty();
        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void aLeaseCompletedInATransactionIsNotRenewedAfterTheCommit() {
        try (Lease lease = leases.acquire(name)) {
            transaction.executeWithoutResult(status -> lease.complete(Completion.PASSED));
            assertThat(keeper.holds()).isEmpty();
        }
        assertThat(leases.tryAcquire(name)).isEqualTo(new Acquisition.AlreadyPassed(Completion.PASSED));
    }

    @Test
    void aLeaseCanBeRenewedInsideATransactionThatGuardsIt() {
        Lease lease = leases.acquire(name);

        transaction.executeWithoutResult(status -> {
            assertThat(lease.guard().isHeld()).isTrue();
            assertThat(lease.renew()).isTrue();
        });
    }

    @Test
    void aLeaseCanBeGuardedInAReadOnlyTransaction() {
        Lease lease = leases.acquire(name);
        transaction.setReadOnly(true);

        assertThat(transaction.<Guard>execute(status -> lease.guard())).isInstanceOf(Guard.Held.class);
    }

    @Test
    void noLeaseIsAcquiredInsideATransaction() {
        assertThatExceptionOfType(IllegalTransactionStateException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> leases.tryAcquire(name)))
                .withMessage(
                        "The lease on '%s' cannot be acquired inside an active transaction. The transaction may have read data older than the lease, and may commit after another caller has acquired it. Acquire the lease first, and begin the transaction while you hold it.",
                        name);
        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    /** The rest of the transaction may still be committed. */
    @Test
    void aCompletionRolledBackToASavepointDoesNotEndTheLease() {
        TransactionTemplate nested = new TransactionTemplate(new DataSourceTransactionManager(connections));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        try (Lease lease = leases.acquire(name)) {
            transaction.executeWithoutResult(outer -> nested.executeWithoutResult(status -> {
                lease.complete(Completion.PASSED);
                status.setRollbackOnly();
            }));

            assertThat(keeper.holds()).hasSize(1);
            assertThat(lease.guard().isHeld()).isTrue();
        }
        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    void aRollbackToASavepointKeepsAnEarlierCompletion() {
        TransactionTemplate nested = new TransactionTemplate(new DataSourceTransactionManager(connections));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        try (Lease lease = leases.acquire(name)) {
            transaction.executeWithoutResult(outer -> {
                lease.complete(Completion.PASSED);
                nested.executeWithoutResult(TransactionExecution::setRollbackOnly);
            });
            assertThat(keeper.holds()).isEmpty();
        }
        assertThat(leases.tryAcquire(name)).isEqualTo(new Acquisition.AlreadyPassed(Completion.PASSED));
    }

    /** In a scope without a transaction, nothing can be rolled back. */
    @Test
    void aLeaseCompletedWithoutATransactionIsNeitherRenewedNorLost() {
        transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        Lease lease = leases.acquire(name);
        transaction.executeWithoutResult(status -> {
            lease.complete(Completion.PASSED);
            status.setRollbackOnly();
        });
        keeper.beat();

        assertThat(keeper.holds()).isEmpty();
        assertThat(lease.isLost()).isFalse();
    }

    /** The commit ends the lease in the database, and the node learns about it a moment later. */
    @Test
    void aCompletedLeaseIsNotReportedAsLost() {
        Lease lease = leases.acquire(name);

        transaction.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    keeper.beat();
                }
            });
            assertThat(ended(lease)).isEqualTo(new Guard.AlreadyPassed(Completion.PASSED));
        });

        assertThat(lease.isLost()).isFalse();
    }

    private static Guard ended(Lease lease) {
        try {
            return lease.during(() -> lease.complete(Completion.PASSED));
        } catch (Exception unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** If the reattachment were rolled back, the holder would continue at the same time as the next holder. */
    @Test
    void noLeaseIsReattachedInsideATransaction() {
        FencingToken stored = leases.acquire(name).token();
        expire();

        assertThatExceptionOfType(IllegalTransactionStateException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> leases.reattach(name, stored)))
                .withMessageContaining("inside an active transaction");
        assertThat(leases.reattach(name, stored)).isPresent();
    }

    /** A connection without auto-commit begins a transaction that no code would commit. */
    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.PROPAGATION_SUPPORTS, TransactionDefinition.PROPAGATION_REQUIRED})
    void aLeaseClosedInATransactionOfAnotherDataSourceIsReleasedImmediately(int propagation) {
        TransactionTemplate another = new TransactionTemplate(new DataSourceTransactionManager(connections));
        another.setPropagationBehavior(propagation);
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(connections);
            pool.setAutoCommit(false);
            LeaseStore store = new PostgresLeaseStore(schema, new OwnTransactions(pool), pool, Duration.ofDays(30));
            Lease lease = new LeaseManager(store, keeper, "node", TTL, List.of()).acquire(name);
            another.executeWithoutResult(status -> {
                if (propagation == TransactionDefinition.PROPAGATION_SUPPORTS) {
                    DataSourceUtils.releaseConnection(DataSourceUtils.getConnection(pool), pool);
                }
                lease.close();
            });
        }

        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    /** Only the guard locks the row, because the test writes nothing else. */
    @Test
    void aGuardPreventsATakeoverEvenAfterTheLeaseHasExpired() {
        LeaseStore store =
                new PostgresLeaseStore(schema, new OwnTransactions(connections), connections, Duration.ofDays(30));
        FencingToken token = store.acquire(
                        name, new LeaseStore.Attempt(UUID.randomUUID(), "node", Duration.ofSeconds(2)))
                .token();

        transaction.executeWithoutResult(status -> {
            assertThat(leases.guard(name, token).isHeld()).isTrue();
            await().until(() -> outside(() -> store.find(name))
                    .filter(LeaseStore.Found::isTaken)
                    .isEmpty());
            assertThat(outside(() -> leases.tryAcquire(name)))
                    .isEqualTo(new Acquisition.AlreadyClaimed(token, Duration.ZERO));
        });

        assertThat(leases.tryAcquire(name)).isInstanceOf(Acquisition.Acquired.class);
    }

    /** After the rollback, no owner is left that could release the lease. */
    @Test
    void aLeaseClosedBeforeARollbackIsNoLongerRenewed() {
        Lease lease = leases.acquire(name);
        transaction.executeWithoutResult(status -> {
            lease.complete(Completion.PASSED);
            lease.close();
            status.setRollbackOnly();
        });

        assertThat(keeper.holds()).isEmpty();
    }
}
