package io.sagaspring.run;

import io.sagaspring.fence.OwnTransactions;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Runs transactions on the database that contains the journal. Transactional steps and transactional listeners use them. For a listener,
 * the end of its delivery takes the place of the journal entry.
 *
 * @since 0.1.0
 */
public interface StepTransactions {

    /**
     * Returns transactions of the application's own transaction manager.
     *
     * @param manager the supplier of the transaction manager, called when the first transaction is needed
     * @param dataSource the data source of the journal
     * @param ownTransactions the library's own transactions, with the default isolation level of the connections
     * @return the transactions on the database that contains the journal
     */
    static StepTransactions of(
            Supplier<PlatformTransactionManager> manager, DataSource dataSource, OwnTransactions ownTransactions) {
        return new SpringStepTransactions(manager, dataSource, ownTransactions);
    }

    /**
     * Returns transactions that reject every step.
     *
     * @return an instance for an application that has no database whose transactions could include the journal
     */
    static StepTransactions none() {
        return new NoStepTransactions();
    }

    /**
     * Executes a step's code, journals its result directly before the commit, and commits. Returns if and only if
     * the transaction has committed.
     *
     * @param description the description of the step, for messages
     * @param code the code of the step
     * @param journal the action that writes the result
     * @throws Exception if the code threw it, or the transaction could not be committed; then the transaction was
     *     rolled back
     * @throws UnknownException if the connection was lost, so that it is unknown whether the step was committed
     */
    void run(String description, Callable<? extends @Nullable Object> code, Consumer<@Nullable Object> journal)
            throws Exception;

    /**
     * Thrown if the connection to the database was lost, or if no connection could be obtained. When the journal can be
     * read again, it shows whether the step was committed.
     */
    final class UnknownException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        UnknownException(Throwable cause) {
            super(
                    "The connection to the database was lost, or could not be obtained. If it was lost during the commit, the transaction may have been committed.",
                    cause,
                    false,
                    false);
        }
    }
}
