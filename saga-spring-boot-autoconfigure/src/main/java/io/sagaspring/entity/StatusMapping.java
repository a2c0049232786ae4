package io.sagaspring.entity;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.CustomType;
import org.hibernate.type.descriptor.jdbc.JdbcLiteralFormatter;
import org.jspecify.annotations.Nullable;

/** Reads the mapping of the property that holds an entity's status. */
final class StatusMapping {

    private final MappedEntity entity;

    StatusMapping(MappedEntity entity) {
        this.entity = entity;
    }

    /**
     * The status of an entity.
     *
     * @param property the property in memory
     * @param column the column
     * @param statuses the statuses that the property may have
     */
    record MappedStatus(StatusProperty property, BasicValuedModelPart column, Statuses statuses) {}

    /**
     * Reads the mapping of the status, and refuses the entity if this mapping is not supported.
     *
     * @param name the name of the property
     * @param names every status that a workflow names
     * @return the mapping, or null if the entity has no basic property of this name
     */
    @Nullable
    MappedStatus status(String name, Collection<String> names) {
        StatusPath paths = new StatusPath(entity.persister());
        List<AttributeMapping> path = paths.find(name);
        if (!path.isEmpty() && path.get(path.size() - 1) instanceof BasicValuedModelPart column) {
            refuseUnsupportedPath(path, column, name);
            return new MappedStatus(new StatusProperty(path), column, statuses(column, name, names));
        }
        entity.refuse("has no basic property '%s' to hold its status. Set 'status-property' to one of %s."
                .formatted(name, String.join(", ", paths.names())));
        return null;
    }

    private void refuseUnsupportedPath(List<AttributeMapping> path, BasicValuedModelPart status, String property) {
        if (path.stream()
                .map(StatusPath::embeddable)
                .anyMatch(embeddable -> embeddable != null && embeddable.isPolymorphic())) {
            entity.refuse(
                    "has a status '%s' in an embeddable that has subclasses. Store the status outside of such an embeddable."
                            .formatted(property));
        }
        boolean aggregated = path.stream()
                .map(StatusPath::embeddable)
                .anyMatch(embeddable -> embeddable != null && embeddable.getAggregateMapping() != null);
        if (aggregated) {
            entity.refuse(
                    "has a status '%s' inside a JSON column or another structured column. Store the status in a column of its own."
                            .formatted(property));
        } else if (status.isFormula()
                || !status.isUpdateable()
                || path.stream()
                        .anyMatch(attribute -> !attribute.getAttributeMetadata().isUpdatable())
                || isTransformed(status)) {
            entity.refuse(
                    "has a status '%s' that is computed, transformed or not updatable. Map it to a plain column that can be updated."
                            .formatted(property));
        }
        if (path.stream()
                .anyMatch(attribute -> !attribute.getAttributeMetadata().isIncludedInOptimisticLocking())) {
            entity.refuse(
                    "excludes its status '%s' from optimistic locking, so a change of the status would not increment the version. Remove @OptimisticLock(excluded = true)."
                            .formatted(property));
        }
    }

    private Statuses statuses(BasicValuedModelPart status, String property, Collection<String> names) {
        JdbcMapping mapping = status.getSingleJdbcMapping();
        Class<?> type = mapping.getJavaTypeDescriptor().getJavaTypeClass();
        if (isConverted(mapping)) {
            return converted(mapping, property, names);
        }
        if (mapping.getJdbcType().isLob() || !(type.isEnum() || type == String.class)) {
            entity.refuse("has a status '%s' of type %s, stored as %s. Supported: enums, String and converted values."
                    .formatted(property, type.getSimpleName(), typeOf(mapping)));
            return none();
        }
        if (type.isEnum()) {
            Map<String, Statuses.Value> constants = constants(mapping, type);
            refuseUnknown(entity, property, type, constants.keySet(), names);
            return new Statuses(entity.type(), constants, null, StoredText.PLAIN);
        }
        return new Statuses(
                entity.type(),
                Map.of(),
                name -> new Statuses.Value(name, literal(mapping, name), name),
                StoredText.PLAIN);
    }

    /** Returns true if a converter or a custom type stores the property, and not one of Hibernate's own types. */
    private static boolean isConverted(JdbcMapping mapping) {
        return mapping.getValueConverter() != null
                || mapping instanceof CustomType<?>
                || !mapping.getJavaTypeDescriptor().getClass().getName().startsWith("org.hibernate.");
    }

    private Statuses converted(JdbcMapping mapping, String property, Collection<String> names) {
        if (mapping instanceof CustomType<?> custom && custom.getValueConverter() == null) {
            entity.refuse(
                    "has a status '%s' whose type %s does not declare its conversion. Make its method getValueConverter return a converter."
                            .formatted(property, custom.getUserType().getClass().getSimpleName()));
            return none();
        }
        StatusColumn column = StatusColumn.of(mapping, entity.factory());
        if (column == null) {
            entity.refuse(
                    "has a status '%s' that is converted to %s. Convert it to text, a whole number, a boolean or a named enum."
                            .formatted(property, typeOf(mapping)));
            return none();
        }
        return new ConvertedStatuses(entity, property, column).statuses(names);
    }

    private static String typeOf(JdbcMapping mapping) {
        return mapping.getJdbcType().getFriendlyName();
    }

    private Statuses none() {
        return new Statuses(entity.type(), Map.of(), null, StoredText.PLAIN);
    }

    /** Refuses statuses that are not constants of the status's type. */
    static void refuseUnknown(
            MappedEntity entity, String property, Class<?> type, Set<String> constants, Collection<String> names) {
        List<String> unknown =
                names.stream().filter(name -> !constants.contains(name)).toList();
        if (!unknown.isEmpty()) {
            entity.refuse(
                    "cannot have the status %s. Its property '%s' is of type %s, which has the constants %s. Use one of these."
                            .formatted(unknown, property, type.getSimpleName(), constants));
        }
    }

    /**
     * Returns true if a custom expression reads or writes the column. Hibernate's default is to read the column by its
     * name with an alias, and to write it with a question mark.
     */
    private static boolean isTransformed(BasicValuedModelPart status) {
        String read = status.getCustomReadExpression();
        String write = status.getCustomWriteExpression();
        return (read != null && !read.equals("{@}." + status.getSelectionExpression()))
                || (write != null && !write.equals("?"));
    }

    private Map<String, Statuses.Value> constants(JdbcMapping mapping, Class<?> type) {
        Map<String, Statuses.Value> values = new LinkedHashMap<>();
        boolean ordinal = mapping.getJdbcType().isNumber();
        Object[] constants = type.getEnumConstants();
        for (int position = 0; position < constants.length; position++) {
            String name = ((Enum<?>) constants[position]).name();
            values.put(
                    name,
                    new Statuses.Value(
                            constants[position],
                            literal(mapping, constants[position]),
                            ordinal ? Integer.toString(position) : name));
        }
        return values;
    }

    @SuppressWarnings("unchecked") // The value is of the mapping's own type.
    private String literal(JdbcMapping mapping, Object value) {
        return ((JdbcLiteralFormatter<Object>) mapping.getJdbcLiteralFormatter())
                .toJdbcLiteral(
                        value,
                        entity.factory().getJdbcServices().getDialect(),
                        entity.factory().getWrapperOptions());
    }
}
