package io.sagaspring.run;

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
 * Transactions of the application's own manager, READ COMMITTED whatever it prefers: the keeper writes the run's row while a
 * step lasts. The row is locked directly before the commit, behind everything that other code has put there; until the
 * transaction has ended, one way or the other, nobody takes the run up. That is why a lost acknowledgement need not be
 * asked for: whoever takes it up next, finds what became of it in the journal.
 */
final class SpringStepTransactions implements StepTransactions {

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
    SpringStepTransactions(Supplier<PlatformTransactionManager> manager, DataSource dataSource, OwnTransactions own) {
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
        private final ForeignCode code = new ForeignCode();
        private @Nullable TransactionStatus status;
        private @Nullable Object result;
        private boolean committed;

        Attempt(Consumer<@Nullable Object> journal, DataSource dataSource) {
            this.journal = journal;
            this.dataSource = dataSource;
        }

        void run(Callable<? extends @Nullable Object> body, TransactionStatus status) {
            this.status = status;
            result = code.<@Nullable Object>run(status, () -> ForeignCode.connectionOf(dataSource), body::call);
            requireCommit(status);
            TransactionSynchronizationManager.registerSynchronization(this);
        }

        private static void requireCommit(TransactionStatus status) {
            ForeignCode.requireCommit(
                    status,
                    () -> "The step marked its transaction rollback-only and then returned. Nothing it did was kept.");
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
                throw code.remembered(refused);
            }
        }

        @Override
        public void afterCompletion(int outcome) {
            committed = outcome == STATUS_COMMITTED;
            if (!committed) {
                ForeignCode.rollBack(dataSource);
            }
        }

        void judge(String what, Throwable failed) throws Exception {
            if (committed) {
                logger.error("{} is committed; what failed came after its commit", what, failed);
                return;
            }
            Throwable cause = code.cause(failed);
            // What could not even be rolled back is what became of the connection.
            boolean unknown = cause == failed
                    ? isOfTheConnection(failed)
                    : !code.isUndone(failed) && !(cause instanceof FencedException);
            if (unknown) {
                throw new UnknownException(cause);
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw (Exception) cause;
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
}
