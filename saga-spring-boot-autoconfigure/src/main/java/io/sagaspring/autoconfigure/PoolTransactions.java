package io.sagaspring.autoconfigure;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.StepTransactions;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/** The pool whose database has the library's tables, and the transaction managers of the application. */
record PoolTransactions(DataSource pool, ObjectProvider<PlatformTransactionManager> managers) {

    /** Returns the transactions that can commit with the library's tables, or transactions that reject all code if there are none. */
    static StepTransactions steps(@Nullable PoolTransactions transactions, ObjectProvider<OwnTransactions> own) {
        return transactions == null
                ? StepTransactions.none()
                : StepTransactions.of(transactions::manager, transactions.pool(), own.getObject());
    }

    /** Returns the transaction manager. If there are several and none is primary, returns the manager of this pool. */
    PlatformTransactionManager manager() {
        PlatformTransactionManager unique = managers.getIfUnique();
        return unique != null
                ? unique
                : managers.stream()
                        .filter(manager -> manager instanceof ResourceTransactionManager resource
                                && resource.getResourceFactory() == pool)
                        .findFirst()
                        .orElseGet(managers::getObject);
    }
}
