package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import jakarta.persistence.EntityManager;
import java.sql.Connection;
import java.util.Optional;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionStatus;

/**
 * A transaction of JPA.
 *
 * @param table the table of the entity on which the transaction works
 * @param status the status of the transaction
 * @param entityManager the transaction's entity manager, which the application's own code also gets
 */
record ManagedTransaction(MappedTable table, TransactionStatus status, EntityManager entityManager)
        implements ForeignTransaction, UnmanagedEntity.Writing {

    @Override
    public @Nullable Connection connection() {
        return PersistenceUnit.connectionOf(entityManager);
    }

    @Override
    public Optional<LoadedEntity> load(Object id, @Nullable EntityRow known) {
        return table.load(entityManager, id).map(loaded -> loaded);
    }

    @Override
    public Optional<LoadedEntity> identify(Object id, @Nullable EntityRow known) {
        Optional<EntityRow> row =
                known == null ? on(connection -> table.readVisible(connection, id)) : Optional.of(known);
        return row.map(seen -> new UnmanagedEntity(table, this, id, seen, () -> Optional.of(id)));
    }

    @Override
    public void flush(Object id) {
        try {
            entityManager.flush();
        } catch (RuntimeException failed) {
            if (table.isEdited(id, null, failed)) {
                throw new LoadedEntity.EditedException(failed);
            }
            throw table.unit().translated(failed);
        }
    }

    @Override
    public <T extends @Nullable Object> T on(OwnTransactions.Work<T> statements) {
        return PersistenceUnit.on(entityManager, statements);
    }

    /**
     * Detaches the entity. Otherwise a persistence context that stays open after the transaction would keep the entity
     * with its old status and version.
     */
    @Override
    public void forget(Object id) {
        SharedSessionContractImplementor session = entityManager.unwrap(SharedSessionContractImplementor.class);
        Object known =
                session.getPersistenceContextInternal().getEntity(session.generateEntityKey(id, table.persister()));
        if (known != null) {
            entityManager.detach(known);
        }
    }
}
