package io.sagaspring.entity;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.hibernate.persister.entity.EntityPersister;

/**
 * The application's entities, in all persistence units over the database that holds the library's tables.
 *
 * @since 0.1.0
 */
public final class EntityTables {

    private final List<PersistenceUnit> units;
    private final List<PersistenceUnit> elsewhere;
    private final boolean writesLastModified;

    /**
     * Collects the entities of persistence units.
     *
     * @param units the units over the database that holds the library's tables
     * @param elsewhere the units over another database, which are used only to explain a refusal
     * @param writesLastModified true if flips also write the time of the entity's last change
     */
    public EntityTables(List<PersistenceUnit> units, List<PersistenceUnit> elsewhere, boolean writesLastModified) {
        this.writesLastModified = writesLastModified;
        this.units = List.copyOf(units);
        this.elsewhere = List.copyOf(elsewhere);
    }

    /**
     * Finds the columns of an entity's id, status and version.
     *
     * @param entity the entity
     * @param statusProperty the property with its status
     * @param statuses every status that a workflow names
     * @param faults the consumer of a sentence for each part of the mapping that is not supported
     * @return the table, or empty if there is a fault
     */
    public Optional<EntityTable> find(
            Class<?> entity, String statusProperty, Collection<String> statuses, Consumer<String> faults) {
        try {
            EntityTable table = require(entity, statusProperty, statuses);
            // The database may refuse the column of a version that is a time.
            String unused = table.name();
            return Optional.of(table);
        } catch (UnsupportedMappingException refused) {
            refused.sentences().forEach(faults);
            return Optional.empty();
        }
    }

    EntityTable require(Class<?> entity, String statusProperty, Collection<String> statuses) {
        for (PersistenceUnit unit : units) {
            EntityPersister persister = persister(unit, entity);
            if (persister != null) {
                return new EntityMapping(entity, unit, persister, writesLastModified).table(statusProperty, statuses);
            }
        }
        throw new UnsupportedMappingException(List.of(
                elsewhere.stream().anyMatch(unit -> persister(unit, entity) != null)
                        ? ("Entity %s is in another database than its claims, and one commit cannot span both."
                                        + " Mark the data source of its persistence unit with @SagaDataSource.")
                                .formatted(entity.getName())
                        : "Class %s is no entity of any persistence unit of this application."
                                .formatted(entity.getName())));
    }

    private static @org.jspecify.annotations.Nullable EntityPersister persister(PersistenceUnit unit, Class<?> entity) {
        return unit.sessionFactory().getMappingMetamodel().findEntityDescriptor(entity);
    }
}
