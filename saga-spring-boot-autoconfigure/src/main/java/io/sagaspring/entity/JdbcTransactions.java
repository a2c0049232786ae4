package io.sagaspring.entity;

import io.sagaspring.fence.ForeignCode;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.TransactionPhase;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The transactions in which the application's code works on entities that JPA does not map.
 *
 * @param dataSource the data source of the database that holds the library's tables
 * @param manager the supplier of the application's transaction manager, called when a transaction is needed
 * @param own the library's own transactions over the data source
 */
record JdbcTransactions(DataSource dataSource, Supplier<PlatformTransactionManager> manager, OwnTransactions own) {

    <T extends @Nullable Object> T foreign(String name, Function<TransactionStatus, T> work) {
        PlatformTransactionManager transactions = manager.get();
        TransactionTemplate template = TransactionPhase.template(transactions);
        template.setName(name);
        if (!own.areReadCommittedByDefault()) {
            template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        }
        return template.execute(status -> {
            requireOurs(transactions);
            TransactionSynchronizationManager.registerSynchronization(new OpenEnd());
            return work.apply(status);
        });
    }

    private void requireOurs(PlatformTransactionManager transactions) {
        if (!TransactionSynchronizationManager.hasResource(dataSource)) {
            throw new IllegalStateException(
                    "The commit of a step must also end its claim, but the transaction of %s does not belong to the data source that holds Saga's tables. Mark the bean of that data source's transaction manager as primary."
                            .formatted(transactions.getClass().getName()));
        }
    }

    /**
     * Rolls back a transaction that Spring may have left open. If a callback before the commit has thrown a {@code
     * TransactionException}, Spring assumes that the commit itself has failed, and does not roll back. Without this
     * rollback, the return to auto-commit mode would commit the writes.
     */
    private final class OpenEnd implements TransactionSynchronization {

        @Override
        public void afterCompletion(int status) {
            if (status != STATUS_COMMITTED) {
                ForeignCode.rollBack(dataSource);
            }
        }
    }
}
