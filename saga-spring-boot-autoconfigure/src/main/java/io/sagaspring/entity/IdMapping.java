package io.sagaspring.entity;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.CompositeIdentifierMapping;
import org.hibernate.metamodel.mapping.EmbeddableMappingType;
import org.hibernate.metamodel.mapping.EmbeddableValuedModelPart;
import org.hibernate.metamodel.mapping.EntityIdentifierMapping;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.CustomType;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.java.JavaType;
import org.hibernate.type.descriptor.java.SerializableJavaType;
import org.hibernate.type.descriptor.jdbc.JdbcType;
import org.jspecify.annotations.Nullable;

/** Reads the mapping of an entity's id. */
final class IdMapping {

    private final MappedEntity entity;

    IdMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /** Returns the mapping of the id. The mapping has fewer parts than the id if some parts are not supported. */
    MappedId id() {
        EntityIdentifierMapping mapping = entity.persister().getIdentifierMapping();
        List<IdPart> parts = new ArrayList<>();
        if (mapping instanceof BasicValuedModelPart basic) {
            JdbcMapping single = basic.getSingleJdbcMapping();
            add(mapping.getAttributeName(), basic, parts);
            if (single.getValueConverter() != null && typeOf(single) == String.class) {
                entity.refuse(
                        "has an id of type String with a converter. The library cannot tell whether a text that a caller passes is the id or its stored form. Use a type of your own for the id instead of String.");
            }
            return new MappedId(typeOf(single), parts, null);
        }
        CompositeIdentifierMapping composite = (CompositeIdentifierMapping) mapping;
        EmbeddableMappingType type = composite.getMappedIdEmbeddableTypeDescriptor();
        Class<?> idClass = type.getMappedJavaType().getJavaTypeClass();
        if (!composite.hasContainingClass()) {
            entity.refuse("has several id properties, but no id class. Declare an @IdClass, or use an @EmbeddedId.");
        } else {
            addAll("", type, parts);
        }
        return new MappedId(idClass, parts, type);
    }

    private void addAll(String path, EmbeddableMappingType type, List<IdPart> parts) {
        Class<?> idClass = type.getMappedJavaType().getJavaTypeClass();
        if (!hasEquals(idClass)) {
            entity.refuse(
                    "has the id class %s without equals, so two ids with the same values would not be equal. Override equals and hashCode."
                            .formatted(idClass.getSimpleName()));
        }
        if (type.getAggregateMapping() != null) {
            entity.refuse("has the id class %s in a single column. Use a class with a column for each part."
                    .formatted(idClass.getSimpleName()));
            return;
        }
        for (int position = 0; position < type.getNumberOfAttributeMappings(); position++) {
            AttributeMapping attribute = type.getAttributeMapping(position);
            String name = path + attribute.getAttributeName();
            if (attribute instanceof EmbeddableValuedModelPart nested) {
                addAll(name + ".", nested.getEmbeddableTypeDescriptor(), parts);
            } else if (attribute instanceof BasicValuedModelPart basic) {
                refuseArray(name, typeOf(basic.getSingleJdbcMapping()));
                add(name, basic, parts);
            } else {
                entity.refuse(
                        "has an id with the association '%s'. Use the other entity's id as the part, with @MapsId on an association outside the id."
                                .formatted(name));
            }
        }
    }

    private void refuseArray(String name, Class<?> type) {
        if (type.isArray()) {
            entity.refuse(
                    "has an id with the array '%s', which is equal only to itself. Wrap the array in a type with equals, and add a converter."
                            .formatted(name));
        }
    }

    private void add(String name, BasicValuedModelPart part, List<IdPart> parts) {
        JdbcMapping mapping = part.getSingleJdbcMapping();
        Class<?> stored = stored(mapping);
        if (stored == null) {
            entity.refuse(
                    "has an id with the part '%s' of type %s, stored as %s. Supported types: whole numbers, UUID, text, enums, booleans and bytes."
                            .formatted(
                                    name,
                                    typeOf(mapping).getSimpleName(),
                                    mapping instanceof CustomType<?> custom
                                            ? custom.getUserType().getClass().getSimpleName()
                                            : mapping.getJdbcType().getFriendlyName()));
        } else if (!typeOf(mapping).isArray() && !hasEquals(typeOf(mapping))) {
            entity.refuse("has an id with the part '%s' of type %s without equals. Override equals and hashCode."
                    .formatted(name, typeOf(mapping).getSimpleName()));
        } else {
            parts.add(new MappedIdPart(name, mapping, stored, entity.factory().getWrapperOptions()));
        }
    }

    /**
     * Returns the class of the stored value if Java and the database convert the value to the same string. Returns null
     * if the database's string is unpredictable. For example, the string for a time depends on settings.
     */
    private @Nullable Class<?> stored(JdbcMapping mapping) {
        JdbcType column = mapping.getJdbcType();
        JavaType<?> relational = mapping.getJdbcJavaType();
        Class<?> type = relational.getJavaTypeClass();
        if (column.isLob()
                || relational instanceof SerializableJavaType<?>
                || (mapping instanceof CustomType<?> && mapping.getValueConverter() == null)) {
            return null;
        }
        if (type == UUID.class) {
            return type;
        }
        if (column.isBinary()) {
            return byte[].class;
        }
        if (type == Boolean.class) {
            return column.isBoolean() ? type : null;
        }
        if (IdPart.isPlain(type)) {
            return type;
        }
        if (type == Character.class) {
            return column.isString() ? type : null;
        }
        if (type.isEnum() && SqlTypes.isEnumType(column.getDdlTypeCode())) {
            return String.class;
        }
        Class<?> recommended = column.getRecommendedJavaType(
                        null, null, entity.factory().getTypeConfiguration())
                .getJavaTypeClass();
        return IdPart.isPlain(recommended) ? recommended : null;
    }

    private static Class<?> typeOf(JdbcMapping mapping) {
        return mapping.getJavaTypeDescriptor().getJavaTypeClass();
    }

    private static boolean hasEquals(Class<?> type) {
        try {
            return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException impossible) {
            return true;
        }
    }
}
