package io.sagaspring.entity;

import java.util.Collection;
import java.util.Optional;

/**
 * A description of some of the application's entities.
 *
 * @since 0.1.0
 */
public interface EntitySource {

    /**
     * Finds the table of an entity. If the entity cannot be claimed, throws an exception that lists all reasons.
     *
     * @param entity the entity
     * @param statusProperty the property that holds the entity's status
     * @param statuses every status that a workflow names
     * @return the table, or empty if this source does not describe the entity
     */
    Optional<EntityTable> table(Class<?> entity, String statusProperty, Collection<String> statuses);

    /**
     * Explains why an entity that no source describes cannot be claimed.
     *
     * @param entity the entity
     * @return the reason as a sentence, or empty if this source knows none
     */
    Optional<String> refusal(Class<?> entity);
}
