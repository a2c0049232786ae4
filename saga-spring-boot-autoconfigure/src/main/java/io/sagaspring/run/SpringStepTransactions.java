package io.sagaspring.run;

import io.sagaspring.fence.LostAnswers;
import io.sagaspring.fence.OutOfStep;
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
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions of the application's own manager, READ COMMITTED whatever it prefers: the keeper writes the run's row while a
 * step lasts. The row is locked directly before the commit, behind everything that other code has put there; until the
 * transaction has ended, one way or the other, nobody takes the run up. That is why a lost acknowledgement need not be
 * asked for: whoever takes it up next, finds what became of it in the journal.
 */
public final class SpringStepTransactions implements StepTransactions {

    private static final Logger logger = LoggerFactory.getLogger(SpringStepTransactions.class);

    private final Supplier<PlatformTransactionManager> manager;
    private final DataSource dataSource;
    private final OwnTransactions own;

    /**
     * Transactions on the database that has the journal.
     *
     * @param manager begins them; asked for when the first is needed
     * @param dataSource that of the journal
     * @param own knows what connections come with
     */
    public SpringStepTransactions(
            Supplier<PlatformTransactionManager> manager, DataSource dataSource, OwnTransactions own) {
        this.manager = manager;
        this.dataSource = dataSource;
        this.own = own;
    }

    @Override
    public void run(String what, Callable<? extends @Nullable Object> body, Consumer<@Nullable Object> journal)
            throws Exception {
        PlatformTransactionManager transactions = manager.get();
        TransactionTemplate template = TransactionPhase.template(transactions);
        template.setName(what);
        if (!own.areReadCommittedByDefault()) {
            template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }
        Attempt attempt = new Attempt(journal, dataSource);
        try {
            template.executeWithoutResult(status -> {
                requireOurs(transactions);
                attempt.run(body, status);
            });
        } catch (RuntimeException | Error failed) {
            attempt.judge(what, failed);
        }
    }

    private void requireOurs(PlatformTransactionManager transactions) {
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            throw new IllegalStateException(
                    "A transactional step is to be committed with the journal, but the transaction of %s is not one of the data source that holds saga's tables. Name one that is: mark its bean as primary, or use a step that is not transactional."
                            .formatted(transactions.getClass().getName()));
        }
    }

    /** What is known of one transaction. */
    private static final class Attempt implements TransactionSynchronization, Ordered {

        private final Consumer<@Nullable Object> journal;
        private final DataSource dataSource;
        private @Nullable TransactionStatus status;
        private @Nullable Object result;
        private @Nullable Throwable thrown;
        private boolean committed;
        private boolean aborted;

        Attempt(Consumer<@Nullable Object> journal, DataSource dataSource) {
            this.journal = journal;
            this.dataSource = dataSource;
        }

        void run(Callable<? extends @Nullable Object> body, TransactionStatus status) {
            this.status = status;
            try {
                result = body.call();
            } catch (Throwable failed) {
                thrown = failed;
                if (OutOfStep.mayFollowForeign(failed)) {
                    abort();
                }
                throw new BodyThrew();
            }
            requireCommit(status);
            TransactionSynchronizationManager.registerSynchronization(this);
        }

        private static void requireCommit(TransactionStatus status) {
            if (status.isRollbackOnly()) {
                throw new UnexpectedRollbackException(
                        "The step marked its transaction rollback-only and then returned. Nothing it did was kept.");
            }
        }

        @Override
        public int getOrder() {
            return LOWEST_PRECEDENCE;
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            if (status != null) {
                status.flush();
                // Marked by what others do directly before the commit, it would be committed and called rolled back.
                requireCommit(status);
            }
            try {
                journal.accept(result);
            } catch (RuntimeException refused) {
                // Where the rollback fails, too, nobody else remembers it.
                thrown = refused;
                throw refused;
            }
        }

        @Override
        public void afterCompletion(int outcome) {
            committed = outcome == STATUS_COMMITTED;
            if (!committed) {
                rollBack();
            }
        }

        /** Nothing is kept: the server rolls back what a connection leaves behind. */
        private void abort() {
            if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder) {
                OutOfStep.abort(holder.getConnection());
                aborted = true;
            }
        }

        /**
         * Spring takes a TransactionException of what is called before the commit for one of the commit, and rolls nothing
         * back. The connection would commit when it is in auto-commit mode again. Where it was rolled back, this does nothing.
         */
        private void rollBack() {
            if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder) {
                try {
                    holder.getConnection().rollback();
                } catch (SQLException broken) {
                    logger.debug("There is nothing to roll back on a connection that broke", broken);
                }
            }
        }

        void judge(String what, Throwable failed) throws Exception {
            if (committed) {
                logger.error("{} is committed; what failed came after its commit", what, failed);
                return;
            }
            if (thrown == null || failed == thrown) {
                if (isOfTheConnection(failed)) {
                    throw new UnknownException(failed);
                }
            } else {
                if (!(failed instanceof BodyThrew)) {
                    // It could not even be rolled back: what was thrown first is what became of the connection.
                    thrown.addSuppressed(failed);
                    if (!aborted && !(thrown instanceof FencedException)) {
                        throw new UnknownException(thrown);
                    }
                }
                failed = thrown;
            }
            if (failed instanceof Error error) {
                throw error;
            }
            throw (Exception) failed;
        }
    }

    /** A pool that has thrown the connection away already refuses the rollback, and names no state. */
    private static boolean isOfTheConnection(Throwable failed) {
        return failed instanceof CannotCreateTransactionException
                || LostAnswers.isOfTheConnection(failed)
                || (failed instanceof TransactionSystemException
                        && failed.getCause() instanceof SQLException refused
                        && refused.getSQLState() == null);
    }

    /** Rolls back; what was thrown is remembered as it is, also where it is checked. */
    private static final class BodyThrew extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BodyThrew() {
            super("The body of the step threw.", null, false, false);
        }
    }
}
