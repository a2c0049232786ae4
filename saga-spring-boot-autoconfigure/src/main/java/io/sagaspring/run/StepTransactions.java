package io.sagaspring.run;

import io.sagaspring.fence.OwnTransactions;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Transactions of the database that has the journal.
 *
 * @since 0.1.0
 */
public interface StepTransactions {

    /**
     * Uses the application's own transactions.
     *
     * @param manager begins them; asked for when the first is needed
     * @param dataSource that of the journal
     * @param own knows what connections come with
     * @return transactions on the database that has the journal
     */
    static StepTransactions of(
            Supplier<PlatformTransactionManager> manager, DataSource dataSource, OwnTransactions own) {
        return new SpringStepTransactions(manager, dataSource, own);
    }

    /**
     * Refuses transactional steps.
     *
     * @return for an application without a database whose transactions could commit with the journal
     */
    static StepTransactions none() {
        return new NoStepTransactions();
    }

    /**
     * Runs the body of a step, journals its result as the last thing before the commit, and commits. Returns if and only if
     * it is committed.
     *
     * @param what which step, for logs
     * @param body what it does
     * @param journal writes the result
     * @throws Exception what the body threw, or why it could not be committed; nothing of it is kept then
     * @throws UnknownException if the database was lost on the way: the step may be committed, and nobody is to blame
     */
    void run(String what, Callable<? extends @Nullable Object> body, Consumer<@Nullable Object> journal)
            throws Exception;

    /** The connection broke, or there was none. Whether the step was committed, its journal tells when it can be read again. */
    final class UnknownException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnknownException(Throwable cause) {
            super("The database was lost, and nobody knows whether the step was committed.", cause, false, false);
        }
    }
}
