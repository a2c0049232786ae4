package io.sagaspring.entity;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.hibernate.engine.internal.ManagedTypeHelper;
import org.hibernate.metamodel.internal.StandardEmbeddableInstantiator;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.spi.EmbeddableInstantiator;
import org.jspecify.annotations.Nullable;

/**
 * The property that holds an entity's status, in memory.
 *
 * @param path the attribute of the entity, followed by the attributes of its embeddables down to the status
 */
record StatusProperty(List<AttributeMapping> path) {

    /** Returns the status of an entity, or null if an embeddable is null. The entity must not be a proxy. */
    @Nullable
    Object of(Object entity) {
        Object value = entity;
        for (AttributeMapping attribute : path) {
            value = value == null ? null : attribute.getValue(value);
        }
        return value;
    }

    void set(Object entity, Object status) {
        AttributeMapping first = path.get(0);
        Object now = path.size() == 1 ? null : first.getValue(entity);
        Object changed = path.size() == 1 ? status : with(status, now, 1);
        if (changed != now) {
            first.setValue(entity, changed);
        }
        // An entity with Hibernate's bytecode enhancement tracks its own changes, but does not notice a value that is
        // set without its setters.
        ManagedTypeHelper.processIfSelfDirtinessTracker(
                entity, (tracker, name) -> tracker.$$_hibernate_trackChange(name), first.getAttributeName());
    }

    /**
     * Sets the status in an embeddable. Returns the same embeddable, or a new one if its class has no setters, for
     * example a record.
     */
    private Object with(Object status, @Nullable Object embeddable, int position) {
        if (embeddable == null) {
            throw new IllegalStateException(
                    "The action has set '%s' to null, so the status '%s' cannot be set. Keep the embedded object."
                            .formatted(name(position), name(path.size())));
        }
        AttributeMapping attribute = path.get(position);
        boolean last = position == path.size() - 1;
        Object now = last ? null : attribute.getValue(embeddable);
        Object changed = last ? status : with(status, now, position + 1);
        if (!last && changed == now) {
            return embeddable;
        }
        EmbeddableMappingType type = ((EmbeddableValuedModelPart) path.get(position - 1)).getEmbeddableTypeDescriptor();
        EmbeddableInstantiator instantiator = type.getRepresentationStrategy().getInstantiator();
        if (instantiator instanceof StandardEmbeddableInstantiator) {
            attribute.setValue(embeddable, changed);
            return embeddable;
        }
        Object[] values = type.getValues(embeddable);
        values[attribute.getStateArrayPosition()] = changed;
        return instantiator.instantiate(() -> values);
    }

    private String name(int length) {
        return path.subList(0, length).stream()
                .map(AttributeMapping::getAttributeName)
                .collect(joining("."));
    }
}
