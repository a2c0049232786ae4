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
import org.hibernate.engine.internal.ManagedTypeHelper;
import org.jspecify.annotations.Nullable;

/**
 * An entity that JPA has loaded past the second-level cache, whose row may just have been changed past JPA.
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

    /** Signals that the entity is not what it was when it was loaded. */
    public static final class EditedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        EditedException(@Nullable Throwable cause) {
            super("Somebody else has changed what the step was about to write.", cause, false, false);
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
        Object value = table.status().getValue(Hibernate.unproxy(instance));
        // A column of fixed width pads what it holds.
        return value instanceof Enum<?> constant
                ? constant.name()
                : String.valueOf(value).stripTrailing();
    }

    long version() {
        Object version = table.persister().getVersion(Hibernate.unproxy(instance));
        return version instanceof Number number ? number.longValue() : 0;
    }

    /**
     * Refuses an entity of another version than the caller has seen.
     *
     * @param expected the version
     * @throws EditedException if it has another one
     */
    public void requireVersion(long expected) {
        if (version() != expected) {
            throw new EditedException(null);
        }
    }

    /**
     * Finds the entity again if foreign code has emptied the persistence context, and with it what JPA knew of the version.
     *
     * @return this entity while the context holds it, the one that is there now, or empty if it was removed
     */
    public Optional<LoadedEntity> current() {
        return entityManager.contains(instance) ? Optional.of(this) : find(table, entityManager, id);
    }

    /**
     * Refuses an entity that another transaction has changed since it was loaded first.
     *
     * @param first the entity as it was loaded first
     * @throws EditedException if another transaction has written another version
     */
    public void requireUneditedSince(LoadedEntity first) {
        // The action itself may have raised the version: then the row is of this transaction.
        if (version() != first.version() && !PersistenceUnit.on(entityManager, this::isOwnWrite)) {
            throw new EditedException(null);
        }
    }

    /** Says whether this transaction has written the version that is there, also behind a savepoint. */
    private boolean isOwnWrite(Connection connection) throws SQLException {
        return table.ownWrite().on(connection).with("id", table.bound(id)).finds();
    }

    /**
     * Gives the entity a status. JPA writes it, with a new version, when it flushes.
     *
     * @param name the status
     * @throws EditedException if the version had to be raised here, and another transaction has raised it
     */
    public void moveTo(String name) {
        // JPA would not write what the action has made read-only: the claim would be gone, and the status stay.
        entityManager.unwrap(Session.class).setReadOnly(instance, false);
        if (status().equals(name)) {
            // Nothing would be written, and so no version be checked: two callers would both succeed.
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
        Object entity = Hibernate.unproxy(instance);
        table.status().setValue(entity, table.statusNamed(name).domain());
        // An enhanced entity tells what has changed, and does not notice what is set past its methods.
        ManagedTypeHelper.processIfSelfDirtinessTracker(
                entity,
                (tracker, attribute) -> tracker.$$_hibernate_trackChange(attribute),
                table.status().getAttributeName());
    }

    /**
     * Writes what JPA has not written yet, and then runs statements of ours in the same transaction.
     *
     * @param statements execute on its connection
     * @param <T> what they find
     * @return what they found
     * @throws EditedException if another transaction has changed this very entity
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
