package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.CacheStoreMode;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PessimisticLockException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;

/**
 * An entity that JPA has loaded without the second-level cache, because its row may just have been changed by a
 * statement that JPA does not know of.
 *
 * @since 0.1.0
 */
public final class LoadedEntity {

    private static final Map<String, Object> PAST_THE_CACHE = Map.of(
            "jakarta.persistence.cache.retrieveMode", CacheRetrieveMode.BYPASS,
            "jakarta.persistence.cache.storeMode", CacheStoreMode.REFRESH);

    private final EntityTable table;
    private final EntityManager entityManager;
    private final Object id;
    private final Object instance;

    LoadedEntity(EntityTable table, EntityManager entityManager, Object id, Object instance) {
        this.table = table;
        this.entityManager = entityManager;
        this.id = id;
        this.instance = instance;
    }

    static Optional<LoadedEntity> find(EntityTable table, EntityManager entityManager, Object id) {
        return Optional.ofNullable(entityManager.find(table.entity(), id, PAST_THE_CACHE))
                .map(found -> new LoadedEntity(table, entityManager, id, found));
    }

    /** Signals that the entity was modified concurrently. */
    public static final class EditedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EditedException(@Nullable Throwable cause) {
            super("Another transaction has changed the entity that the step was about to write.", cause, false, false);
        }
    }

    /**
     * Returns the object that foreign code works on.
     *
     * @return the entity
     */
    public Object instance() {
        return instance;
    }

    /**
     * Reads the status in memory.
     *
     * @return the status's name
     */
    public String status() {
        return table.nameOfStatus(table.status().of(Hibernate.unproxy(instance)));
    }

    long version() {
        return table.versionOf(Hibernate.unproxy(instance));
    }

    /**
     * Requires the version that the caller has seen.
     *
     * @param expected the version that the caller has seen
     * @throws EditedException if the entity has another version
     */
    public void requireVersion(long expected) {
        if (version() != expected) {
            throw new EditedException(null);
        }
    }

    /**
     * Finds the entity again if foreign code has emptied the persistence context. JPA then no longer knows the version
     * that it had loaded.
     *
     * @return this entity if the context still holds it, else the entity as it is now, or empty if it was removed
     */
    public Optional<LoadedEntity> current() {
        return entityManager.contains(instance) ? Optional.of(this) : find(table, entityManager, id);
    }

    /**
     * Requires that no other transaction has changed the entity since it was first loaded.
     *
     * @param first the entity as it was first loaded
     * @throws EditedException if another transaction has written another version
     */
    public void requireUneditedSince(LoadedEntity first) {
        // If the action itself has raised the version, the row was written by this transaction.
        if (version() != first.version() && !PersistenceUnit.on(entityManager, this::isOwnWrite)) {
            throw new EditedException(null);
        }
    }

    /** Returns true if this transaction has written the row's current version, even after a savepoint. */
    private boolean isOwnWrite(Connection connection) throws SQLException {
        return table.bind(table.ownWrite().on(connection), id).finds();
    }

    /**
     * Sets the entity's status. JPA writes the status, with a new version, when it flushes.
     *
     * @param name the status
     * @throws EditedException if this method had to raise the version, and another transaction has already raised it
     */
    public void moveTo(String name) {
        // JPA does not write an entity that the action has made read-only. The claim would be removed without the flip.
        entityManager.unwrap(Session.class).setReadOnly(instance, false);
        if (status().equals(name)) {
            // JPA would write nothing and so check no version: two callers would both succeed.
            forceVersion();
        }
        setStatus(name);
    }

    private void forceVersion() {
        try {
            entityManager.lock(instance, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
        } catch (OptimisticLockException | PessimisticLockException edited) {
            throw new EditedException(edited);
        }
    }

    void setStatus(String name) {
        table.status().set(Hibernate.unproxy(instance), table.statusNamed(name).domain());
    }

    /**
     * Flushes JPA's pending changes, and then runs statements of the library in the same transaction.
     *
     * @param statements the statements, which run on the transaction's connection
     * @param <T> the type of the result
     * @return the result of the statements
     * @throws EditedException if another transaction has changed this same entity
     */
    public <T extends @Nullable Object> T flushThen(OwnTransactions.Work<T> statements) {
        try {
            entityManager.flush();
        } catch (RuntimeException failed) {
            if (table.isEdited(id, failed)) {
                throw new EditedException(failed);
            }
            throw table.unit().translated(failed);
        }
        return PersistenceUnit.on(entityManager, statements);
    }
}
