package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.CacheStoreMode;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PessimisticLockException;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * An entity that JPA has loaded without the second-level cache, because a statement that bypasses JPA may just have
 * changed its row.
 */
final class ManagedEntity extends LoadedEntity {

    private static final Map<String, Object> PAST_THE_CACHE = Map.of(
            "jakarta.persistence.cache.retrieveMode", CacheRetrieveMode.BYPASS,
            "jakarta.persistence.cache.storeMode", CacheStoreMode.REFRESH);

    private final MappedTable table;
    private final EntityManager entityManager;
    private final Object id;
    private final Object instance;
    private final long loadedVersion;

    ManagedEntity(MappedTable table, EntityManager entityManager, Object id, Object instance) {
        this.table = table;
        this.entityManager = entityManager;
        this.id = id;
        this.instance = instance;
        this.loadedVersion = version();
    }

    static Optional<ManagedEntity> find(MappedTable table, EntityManager entityManager, Object id) {
        return Optional.ofNullable(entityManager.find(table.entity(), id, PAST_THE_CACHE))
                .map(found -> new ManagedEntity(table, entityManager, id, found));
    }

    @Override
    public Optional<Object> instance() {
        return Optional.of(instance);
    }

    Object entity() {
        return instance;
    }

    @Override
    String status() {
        return table.nameOfStatus(table.status().of(Hibernate.unproxy(instance)));
    }

    long version() {
        return table.versionOf(Hibernate.unproxy(instance));
    }

    @Override
    void requireVersion(long expected) {
        if (loadedVersion != expected) {
            throw new EditedException(null);
        }
    }

    /** Loads the entity again if the application's code has detached it, because JPA writes only a managed entity. */
    @Override
    Optional<LoadedEntity> current() {
        return entityManager.contains(instance)
                ? Optional.of(this)
                : find(table, entityManager, id).map(found -> found);
    }

    @Override
    void requireUneditedSince(LoadedEntity first) {
        // The version may also differ because the action itself has incremented it. In that case, this transaction was
        // the last to write the row.
        if (version() != ((ManagedEntity) first).version()
                && !PersistenceUnit.on(
                        entityManager, connection -> table.lastFlip().isOwnWrite(connection, id))) {
            throw new EditedException(null);
        }
    }

    @Override
    void moveTo(String name) {
        // The action may have made the entity read-only, and JPA does not write such an entity. Without this call, the
        // claim would be removed without the flip.
        entityManager.unwrap(Session.class).setReadOnly(instance, false);
        if (status().equals(name)) {
            // If the status stays the same, JPA may write nothing and not check the version, so two callers could both
            // succeed.
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

    @Override
    <T extends @Nullable Object> T flushThen(OwnTransactions.Work<T> statements) {
        try {
            entityManager.flush();
        } catch (RuntimeException failed) {
            if (isEdited(failed)) {
                throw new EditedException(failed);
            }
            throw table.unit().translated(failed);
        }
        SharedSessionContractImplementor session = entityManager.unwrap(SharedSessionContractImplementor.class);
        return PersistenceUnit.on(entityManager, connection -> {
            table.stepVersion().raiseAbove(session, connection, id, loadedVersion);
            return statements.on(connection);
        });
    }

    /** Writes nothing, because JPA has written the status when it flushed. */
    @Override
    Flipped flip(Connection connection) {
        return Flipped.BY_JPA;
    }

    @Override
    void forgetCached() {
        table.forgetCached(id);
    }

    @Override
    public boolean isEdited(Throwable failure) {
        return table.isEdited(id, null, failure);
    }
}
