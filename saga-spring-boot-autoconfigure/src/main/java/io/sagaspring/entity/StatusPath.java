package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;

/** Finds the attribute that a status property names. Dots lead into embeddables. */
final class StatusPath {

    private final EntityPersister persister;

    StatusPath(EntityPersister persister) {
        this.persister = persister;
    }

    /** Returns the attributes on the path to a basic attribute, or an empty list if there is no such attribute. */
    List<AttributeMapping> find(String property) {
        List<AttributeMapping> path = new ArrayList<>();
        for (String name : property.split("\\.", -1)) {
            AttributeMapping found = path.isEmpty() ? persister.findAttributeMapping(name) : inside(path, name);
            if (found == null) {
                return List.of();
            }
            path.add(found);
        }
        return path.get(path.size() - 1) instanceof BasicValuedModelPart ? List.copyOf(path) : List.of();
    }

    private static @Nullable AttributeMapping inside(List<AttributeMapping> path, String name) {
        EmbeddableMappingType type = embeddable(path.get(path.size() - 1));
        return type == null ? null : type.findAttributeMapping(name);
    }

    static @Nullable EmbeddableMappingType embeddable(AttributeMapping attribute) {
        return attribute instanceof EmbeddableValuedModelPart embedded ? embedded.getEmbeddableTypeDescriptor() : null;
    }

    /** Lists the names of the basic properties, and of those in embeddables. */
    List<String> names() {
        return Stream.of(persister.getPropertyNames())
                .map(persister::findAttributeMapping)
                .flatMap(attribute -> names(attribute, ""))
                .toList();
    }

    private static Stream<String> names(@Nullable AttributeMapping attribute, String before) {
        if (attribute == null) {
            return Stream.of();
        }
        String name = before + attribute.getAttributeName();
        if (attribute instanceof BasicValuedModelPart) {
            return Stream.of(name);
        }
        EmbeddableMappingType type = embeddable(attribute);
        List<String> found = new ArrayList<>();
        if (type != null) {
            type.forEachAttributeMapping(inner -> names(inner, name + ".").forEach(found::add));
        }
        return found.stream();
    }
}
