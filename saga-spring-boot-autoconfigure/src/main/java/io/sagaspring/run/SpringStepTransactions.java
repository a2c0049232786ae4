package io.sagaspring.run;

import io.sagaspring.fence.CallersTransaction;
import io.sagaspring.fence.ForeignCode;
import io.sagaspring.fence.LostAnswers;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.TransactionPhase;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Executes transactional steps and listeners in transactions of the application's own transaction manager. These transactions always
 * have the isolation level READ COMMITTED. At a stricter level, a transaction could not lock the run's row if the
 * heartbeat keeper has written the row while the step was executed.
 *
 * <p>The row is locked directly before the commit, after all other callbacks of the transaction. From then until the
 * transaction has ended, no other node can pick up the run. So if the reply to the commit is lost, this node need not
 * find out whether the step was committed: the next node reads that from the journal.
 */
final class SpringStepTransactions implements StepTransactions {

    private static final Logger logger = LoggerFactory.getLogger(SpringStepTransactions.class);

    private final Supplier<PlatformTransactionManager> manager;
    private final DataSource dataSource;
    private final OwnTransactions ownTransactions;

    /**
     * Creates transactions on the database that contains the journal.
     *
     * @param manager the supplier of the transaction manager, called when the first transaction is needed
     * @param dataSource the data source of the journal
     * @param ownTransactions the library's own transactions, with the default isolation level of the connections and
     *     the guard that recognizes transactions of another database
     */
    SpringStepTransactions(
            Supplier<PlatformTransactionManager> manager, DataSource dataSource, OwnTransactions ownTransactions) {
        this.manager = manager;
        this.dataSource = dataSource;
        this.ownTransactions = ownTransactions;
    }

    @Override
    public void run(String description, Callable<? extends @Nullable Object> code, Consumer<@Nullable Object> journal)
            throws Exception {
        PlatformTransactionManager transactions = manager.get();
        TransactionTemplate template = TransactionPhase.template(transactions);
        template.setName(description);
        if (!ownTransactions.areReadCommittedByDefault()) {
            template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }
        Attempt attempt = new Attempt(journal, dataSource);
        try {
            template.executeWithoutResult(status -> {
                requireOurs(transactions, description);
                attempt.run(code, status);
            });
        } catch (RuntimeException | Error failed) {
            attempt.judge(description, failed);
        }
    }

    private void requireOurs(PlatformTransactionManager transactions, String description) {
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            throw new IllegalStateException(
                    "%s must commit in the database that holds Saga's tables, but the transaction of %s belongs to another data source. Mark the transaction manager of the data source with Saga's tables as primary, or use a step that is not transactional."
                            .formatted(description, transactions.getClass().getName()));
        }
        // Check this before the step's code runs, so that a failed check does not roll back the code's writes.
        new CallersTransaction(dataSource, ownTransactions.guard()).requireJoinable(description);
    }

    /** The state of one transaction. */
    private static final class Attempt implements TransactionSynchronization, Ordered {

        private final Consumer<@Nullable Object> journal;
        private final DataSource dataSource;
        private final ForeignCode foreignCode = new ForeignCode();
        private @Nullable TransactionStatus status;
        private @Nullable Object result;
        private boolean committed;

        Attempt(Consumer<@Nullable Object> journal, DataSource dataSource) {
            this.journal = journal;
            this.dataSource = dataSource;
        }

        void run(Callable<? extends @Nullable Object> code, TransactionStatus status) {
            this.status = status;
            result = foreignCode.<@Nullable Object>run(status, () -> ForeignCode.connectionOf(dataSource), code::call);
            requireCommit(status);
            TransactionSynchronizationManager.registerSynchronization(this);
        }

        private static void requireCommit(TransactionStatus status) {
            ForeignCode.requireCommit(
                    status,
                    () ->
                            "The code marked its transaction rollback-only and then returned, so its writes were rolled back. To report a failure, throw an exception.");
        }

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            if (status != null) {
                status.flush();
                // If a callback has marked the transaction rollback-only, Spring would commit it and nevertheless
                // report a rollback. Throw an exception instead.
                requireCommit(status);
            }
            try {
                journal.accept(result);
            } catch (RuntimeException refused) {
                throw foreignCode.remembered(refused);
            }
        }

        @Override
        public void afterCompletion(int outcome) {
            committed = outcome == STATUS_COMMITTED;
            if (!committed) {
                ForeignCode.rollBack(dataSource);
            }
        }

        void judge(String description, Throwable failed) throws Exception {
            if (committed) {
                logger.error("{} is committed, but a failure occurred after the commit", description, failed);
                return;
            }
            Throwable cause = foreignCode.cause(failed);
            // The step may be committed if the connection was lost, or if the transaction is not known to be rolled
            // back.
            boolean unknown = cause == failed
                    ? isOfTheConnection(failed)
                    : !foreignCode.isUndone(failed) && !(cause instanceof FencedException);
            if (unknown) {
                throw new UnknownException(cause);
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw (Exception) cause;
        }
    }

    /** Returns true if the connection has failed. If a pool has closed the connection, the rollback fails without an SQL state. */
    private static boolean isOfTheConnection(Throwable failed) {
        return failed instanceof CannotCreateTransactionException
                || LostAnswers.isOfTheConnection(failed)
                || (failed instanceof TransactionSystemException
                        && failed.getCause() instanceof SQLException refused
                        && refused.getSQLState() == null);
    }
}
