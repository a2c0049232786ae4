package io.sagaspring.entity;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The application's entities in the database that holds the library's tables.
 *
 * @since 0.1.0
 */
public final class EntityTables {

    private final List<EntitySource> sources;

    /**
     * Collects entities.
     *
     * @param sources the descriptions of the entities
     */
    public EntityTables(List<EntitySource> sources) {
        this.sources = List.copyOf(sources);
    }

    /**
     * Finds the table of an entity.
     *
     * @param entity the entity
     * @param statusProperty the property that holds the entity's status
     * @param statuses every status that a workflow names
     * @param faults the consumer of a sentence for each part of the mapping that is not supported
     * @return the table, or empty if there is a fault
     */
    public Optional<EntityTable> find(
            Class<?> entity, String statusProperty, Collection<String> statuses, Consumer<String> faults) {
        try {
            EntityTable table = require(entity, statusProperty, statuses);
            // If the version is a time, reading the name also checks the type of its column.
            String unused = table.name();
            return Optional.of(table);
        } catch (UnsupportedMappingException refused) {
            refused.sentences().forEach(faults);
            return Optional.empty();
        }
    }

    EntityTable require(Class<?> entity, String statusProperty, Collection<String> statuses) {
        List<EntityTable> found = sources.stream()
                .flatMap(source -> source.table(entity, statusProperty, statuses).stream())
                .toList();
        if (found.isEmpty()) {
            throw unknown(entity);
        }
        if (found.size() > 1) {
            throw new UnsupportedMappingException(List.of(
                    "%s is a JPA entity, but there is also a bean of type ClaimTable for this class. Remove the bean."
                            .formatted(entity.getName())));
        }
        return found.get(0);
    }

    private UnsupportedMappingException unknown(Class<?> entity) {
        return new UnsupportedMappingException(List.of(sources.stream()
                .flatMap(source -> source.refusal(entity).stream())
                .findFirst()
                .orElseGet(() ->
                        "Class %s is not an entity of any persistence unit of this application, and no ClaimTable bean describes it. Declare such a bean, or map the class with JPA."
                                .formatted(entity.getName()))));
    }
}
