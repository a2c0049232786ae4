package io.sagaspring.entity;

import jakarta.persistence.EntityManager;
import java.util.Optional;
import java.util.function.Function;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** The table of an entity that JPA maps. */
final class MappedTable extends EntityTable {

    private final PersistenceUnit unit;
    private final EntityPersister persister;
    private final StatusProperty status;
    private final StepVersion stepVersion;

    MappedTable(
            TableParts parts,
            PersistenceUnit unit,
            EntityPersister persister,
            StatusProperty status,
            @Nullable TableLocation located) {
        super(parts, located);
        this.unit = unit;
        this.persister = persister;
        this.status = status;
        this.stepVersion = new StepVersion(this, texts());
    }

    @Override
    EntityTable at(TableParts parts, TableLocation located) {
        return new MappedTable(parts, unit, persister, status, located);
    }

    /** Returns the persistence unit that manages the entity. */
    PersistenceUnit unit() {
        return unit;
    }

    @Override
    public void clearThreadContext() {
        unit.clearThreadContext();
    }

    @Override
    public <T extends @Nullable Object> T foreign(String name, Function<ForeignTransaction, T> work) {
        return unit.foreign(
                name, (status, entityManager) -> work.apply(new ManagedTransaction(this, status, entityManager)));
    }

    @Override
    public void outsideTransaction(Object id, EntityWork work) throws Exception {
        unit.withEntityManager(entityManager -> work.on(load(entityManager, id).map(ManagedEntity::entity)));
    }

    /**
     * Loads an entity without the second-level cache.
     *
     * @return the entity, or empty if there is none
     */
    Optional<ManagedEntity> load(EntityManager entityManager, Object id) {
        return ManagedEntity.find(this, entityManager, id);
    }

    @Override
    public boolean isEdited(Object id, @Nullable EntityRow seen, Throwable failure) {
        return OptimisticFailure.isAbout(this, id, failure);
    }

    @Override
    public void forgetCached(Object key) {
        unit.forgetCached(this, key);
    }

    @Override
    public boolean hasOtherStatus(EntityTable other) {
        return !columns().hasStatusOf(other.columns())
                && (!(other instanceof MappedTable mapped) || RowMapping.mayBeOne(persister, mapped.persister));
    }

    Statuses.Value statusNamed(String name) {
        return statuses().of(name);
    }

    String nameOfStatus(@Nullable Object value) {
        return statuses().nameOf(value);
    }

    long versionOf(Object instance) {
        return columns().version().numberOf(persister.getVersion(instance));
    }

    StatusProperty status() {
        return status;
    }

    StepVersion stepVersion() {
        return stepVersion;
    }

    EntityPersister persister() {
        return persister;
    }
}
