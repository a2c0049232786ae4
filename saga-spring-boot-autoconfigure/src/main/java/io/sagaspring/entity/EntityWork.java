package io.sagaspring.entity;

import java.util.Optional;

/**
 * The application's code that works on an entity outside any transaction.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface EntityWork {

    /**
     * Runs the code.
     *
     * @param entity the entity, or empty if there is none
     * @throws Exception if the code fails
     */
    void on(Optional<?> entity) throws Exception;
}
