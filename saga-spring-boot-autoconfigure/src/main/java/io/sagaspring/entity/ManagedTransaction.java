package io.sagaspring.entity;

import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

/**
 * A transaction of JPA.
 *
 * @param table the table of the entity that the transaction is about
 * @param status the status of the transaction
 * @param entityManager the transaction's entity manager, which the application's own code gets, too
 */
record ManagedTransaction(MappedTable table, TransactionStatus status, EntityManager entityManager)
        implements ForeignTransaction {

    @Override
    public @Nullable Connection connection() {
        return PersistenceUnit.connectionOf(entityManager);
    }

    @Override
    public Optional<LoadedEntity> load(Object id) {
        return table.load(entityManager, id).map(loaded -> loaded);
    }
}
