package io.sagaspring.entity;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/**
 * The entities of JPA, in all persistence units over the database that holds the library's tables.
 *
 * @since 0.1.0
 */
public final class MappedEntities implements EntitySource {

    private final List<PersistenceUnit> units;
    private final List<PersistenceUnit> elsewhere;
    private final boolean writesLastModified;

    /**
     * Collects the entities of persistence units.
     *
     * @param units the units over the database that holds the library's tables
     * @param elsewhere the units over another database, which are used only to explain a refusal
     * @param writesLastModified true if flips also write the entity's last-modified time
     */
    public MappedEntities(List<PersistenceUnit> units, List<PersistenceUnit> elsewhere, boolean writesLastModified) {
        this.writesLastModified = writesLastModified;
        this.units = List.copyOf(units);
        this.elsewhere = List.copyOf(elsewhere);
    }

    @Override
    public Optional<EntityTable> table(Class<?> entity, String statusProperty, Collection<String> statuses) {
        return mapped(entity, statusProperty, statuses).map(table -> table);
    }

    Optional<MappedTable> mapped(Class<?> entity, String statusProperty, Collection<String> statuses) {
        for (PersistenceUnit unit : units) {
            EntityPersister persister = persister(unit, entity);
            if (persister != null) {
                return Optional.of(
                        new EntityMapping(entity, unit, persister, writesLastModified).table(statusProperty, statuses));
            }
        }
        return Optional.empty();
    }

    @Override
    public Optional<String> refusal(Class<?> entity) {
        return elsewhere.stream().anyMatch(unit -> persister(unit, entity) != null)
                ? Optional.of(("Entity %s is not in the same database as its claims, and one commit cannot span both."
                                + " Mark the data source of its persistence unit with @SagaDataSource.")
                        .formatted(entity.getName()))
                : Optional.empty();
    }

    private static @Nullable EntityPersister persister(PersistenceUnit unit, Class<?> entity) {
        return unit.sessionFactory().getMappingMetamodel().findEntityDescriptor(entity);
    }
}
