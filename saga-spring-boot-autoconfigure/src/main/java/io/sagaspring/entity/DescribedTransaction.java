package io.sagaspring.entity;

import io.sagaspring.fence.ForeignCode;
import io.sagaspring.fence.OutOfStep;
import io.sagaspring.fence.OwnTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.TransactionStatus;

/**
 * A transaction in which the application's code works on an entity that JPA does not map.
 *
 * @param table the table of the entity
 * @param status the status of the transaction
 */
record DescribedTransaction(DescribedTable table, TransactionStatus status)
        implements ForeignTransaction, UnmanagedEntity.Writing {

    private static final String TASK = "A statement of the Saga library failed";
    private static final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    @Override
    public @Nullable Connection connection() {
        return ForeignCode.connectionOf(table.transactions().dataSource());
    }

    @Override
    public Optional<LoadedEntity> load(Object id, @Nullable EntityRow known) {
        return row(id, known)
                .map(row -> new UnmanagedEntity(
                        table, this, id, row, () -> table.described().load(id)));
    }

    @Override
    public Optional<LoadedEntity> identify(Object id, @Nullable EntityRow known) {
        return row(id, known).map(row -> new UnmanagedEntity(table, this, id, row, () -> Optional.of(id)));
    }

    private Optional<EntityRow> row(Object id, @Nullable EntityRow known) {
        return known == null ? on(connection -> table.readVisible(connection, id)) : Optional.of(known);
    }

    /**
     * Flushes the session if a JPA transaction manager has begun the transaction, because the session's pending changes
     * also belong to this transaction.
     */
    @Override
    public void flush(Object id) {
        status.flush();
        // If other code marked the transaction rollback-only after Spring had decided to commit it, Spring would commit
        // it and nevertheless report a rollback. This check throws an exception instead, before the commit.
        ForeignCode.requireCommit(
                status,
                () ->
                        "Other code marked the transaction of a step rollback-only after the action, so the transaction was rolled back.");
    }

    @Override
    public <T extends @Nullable Object> T on(OwnTransactions.Work<T> statements) {
        try {
            return OutOfStep.guarded(Objects.requireNonNull(connection()), statements);
        } catch (SQLException failed) {
            throw Objects.requireNonNullElseGet(
                    translator.translate(TASK, null, failed), () -> new UncategorizedSQLException(TASK, null, failed));
        }
    }

    /** Does nothing, because the transaction keeps no entities that it has loaded. */
    @Override
    public void forget(Object id) {}
}
