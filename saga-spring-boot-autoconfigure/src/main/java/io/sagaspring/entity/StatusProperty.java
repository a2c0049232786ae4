package io.sagaspring.entity;

import org.hibernate.engine.internal.ManagedTypeHelper;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.jspecify.annotations.Nullable;

/**
 * The property that holds an entity's status, in memory.
 *
 * @param attribute the attribute of the entity
 */
record StatusProperty(AttributeMapping attribute) {

    /** Returns the status of an entity that is no proxy. */
    @Nullable
    Object of(Object entity) {
        return attribute.getValue(entity);
    }

    void set(Object entity, Object status) {
        attribute.setValue(entity, status);
        // An enhanced entity tracks its own changes, but does not notice a value that is set past its methods.
        ManagedTypeHelper.processIfSelfDirtinessTracker(
                entity, (tracker, name) -> tracker.$$_hibernate_trackChange(name), attribute.getAttributeName());
    }
}
