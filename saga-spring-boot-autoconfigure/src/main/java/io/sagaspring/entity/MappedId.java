package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.jspecify.annotations.Nullable;

/**
 * The id of an entity that JPA maps: its type and its parts.
 *
 * @param type the class of the ids
 * @param parts the columns, in the order in which JPA lists them
 * @param composite the mapping of the class that contains the parts, or null if the id is a single value
 */
record MappedId(Class<?> type, List<IdPart> parts, @Nullable EmbeddableMappingType composite) implements IdShape {

    @Override
    public boolean isComposite() {
        return composite != null;
    }

    @Override
    public List<@Nullable Object> valuesOf(Object id) {
        List<@Nullable Object> values = new ArrayList<>();
        if (composite == null) {
            values.add(id);
        } else {
            collect(composite, id, values);
        }
        return values;
    }

    private static void collect(EmbeddableMappingType type, @Nullable Object owner, List<@Nullable Object> values) {
        for (int position = 0; position < type.getNumberOfAttributeMappings(); position++) {
            AttributeMapping attribute = type.getAttributeMapping(position);
            Object value = owner == null ? null : attribute.getValue(owner);
            if (attribute instanceof EmbeddableValuedModelPart nested) {
                collect(nested.getEmbeddableTypeDescriptor(), value, values);
            } else {
                values.add(value);
            }
        }
    }

    @Override
    public Object of(List<Object> values) {
        return composite == null ? values.get(0) : instance(composite, values.iterator());
    }

    private static Object instance(EmbeddableMappingType type, Iterator<Object> values) {
        Object[] attributes = new Object[type.getNumberOfAttributeMappings()];
        for (int position = 0; position < attributes.length; position++) {
            attributes[position] = type.getAttributeMapping(position) instanceof EmbeddableValuedModelPart nested
                    ? instance(nested.getEmbeddableTypeDescriptor(), values)
                    : values.next();
        }
        return type.getRepresentationStrategy().getInstantiator().instantiate(() -> attributes);
    }
}
