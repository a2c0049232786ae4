package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An entity whose status the library writes itself at the end of a step: one that JPA does not map, or one that the
 * step knows only by its id.
 */
final class UnmanagedEntity extends LoadedEntity {

    private final EntityTable table;
    private final Writing transaction;
    private final Object id;
    private final EntityRow seen;
    private final Supplier<? extends Optional<?>> loader;
    private @Nullable Object loaded;
    private @Nullable String target;

    /**
     * Creates an entity in a step's transaction.
     *
     * @param table its table
     * @param transaction the operations of the step's transaction
     * @param id its id
     * @param seen the entity's row before the application's code runs
     * @param loader the loader of the object that the application's code gets, called when the object is needed
     */
    UnmanagedEntity(
            EntityTable table, Writing transaction, Object id, EntityRow seen, Supplier<? extends Optional<?>> loader) {
        this.table = table;
        this.transaction = transaction;
        this.id = id;
        this.seen = seen;
        this.loader = loader;
    }

    /** The operations of a step's transaction that this class uses. */
    interface Writing {

        /** Sends the pending changes of the application's code to the database. */
        void flush(Object id);

        /** Runs statements of the library on the transaction's connection. */
        <T extends @Nullable Object> T on(OwnTransactions.Work<T> statements);

        /** Discards what the transaction has loaded of the entity, because the library writes the row itself. */
        void forget(Object id);
    }

    @Override
    public Optional<Object> instance() {
        if (loaded == null) {
            loaded = loader.get().orElse(null);
        }
        return Optional.ofNullable(loaded);
    }

    @Override
    String status() {
        return seen.status();
    }

    @Override
    void requireVersion(long expected) {
        if (seen.version() != expected) {
            throw new EditedException(null);
        }
    }

    @Override
    Optional<LoadedEntity> current() {
        return Optional.of(this);
    }

    /** Does nothing, because the flip makes this check. */
    @Override
    void requireUneditedSince(LoadedEntity first) {}

    @Override
    void moveTo(String name) {
        target = name;
    }

    @Override
    <T extends @Nullable Object> T flushThen(OwnTransactions.Work<T> statements) {
        transaction.flush(id);
        T found = transaction.on(statements);
        transaction.forget(id);
        return found;
    }

    @Override
    Flipped flip(Connection connection) throws SQLException {
        return table.lastFlip().flip(connection, id, seen, Objects.requireNonNull(target));
    }

    @Override
    void forgetCached() {
        table.forgetCached(id);
    }

    @Override
    public boolean isEdited(Throwable failure) {
        return table.isEdited(id, seen, failure);
    }
}
