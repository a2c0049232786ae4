package io.sagaspring.entity;

import static java.util.stream.Collectors.joining;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.metamodel.mapping.AttributeMapping;
import org.hibernate.metamodel.mapping.BasicValuedModelPart;
import org.hibernate.metamodel.mapping.JdbcMapping;
import org.hibernate.type.CustomType;
import org.hibernate.type.descriptor.jdbc.JdbcLiteralFormatter;
import org.jspecify.annotations.Nullable;

/** The reading of the property that holds an entity's status. */
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
     * Reads the status.
     *
     * @param name the name of the property
     * @param names every status that a workflow names
     * @return the status, or null if its mapping is not supported
     */
    @Nullable
    MappedStatus status(String name, Collection<String> names) {
        AttributeMapping attribute = entity.persister().findAttributeMapping(name);
        if (attribute instanceof BasicValuedModelPart column) {
            return new MappedStatus(new StatusProperty(attribute), column, statuses(column, attribute, name, names));
        }
        entity.refuse(
                "has no basic property '%s' to hold its status. Name the property with 'status-property'; there are %s."
                        .formatted(name, basicProperties()));
        return null;
    }

    private Statuses statuses(
            BasicValuedModelPart status, AttributeMapping attribute, String property, Collection<String> names) {
        JdbcMapping mapping = status.getSingleJdbcMapping();
        Class<?> type = mapping.getJavaTypeDescriptor().getJavaTypeClass();
        String alteredBy = mapping.getValueConverter() != null
                ? " with a converter"
                : mapping instanceof CustomType<?> ? " with a type of its own" : "";
        if (!alteredBy.isEmpty() || !(type.isEnum() || type == String.class)) {
            entity.refuse("has a status '%s' of type %s%s. Supported are enums and String, stored as they are."
                    .formatted(property, type.getSimpleName(), alteredBy));
            return new Statuses(entity.type(), Map.of(), null);
        }
        if (status.isFormula() || !attribute.getAttributeMetadata().isUpdatable() || isTransformed(status)) {
            entity.refuse("has a status '%s' that is computed, transformed or not updatable.".formatted(property));
        }
        if (!attribute.getAttributeMetadata().isIncludedInOptimisticLocking()) {
            entity.refuse(
                    "excludes its status '%s' from optimistic locking, so a change of the status would not raise the version."
                            .formatted(property));
        }
        return type.isEnum()
                ? new Statuses(entity.type(), constants(mapping, type, property, names), null)
                : new Statuses(entity.type(), Map.of(), name -> new Statuses.Value(name, literal(mapping, name), name));
    }

    /**
     * Returns true if a custom expression reads or writes the column. Hibernate's own ones are an alias and a question
     * mark.
     */
    private static boolean isTransformed(BasicValuedModelPart status) {
        String read = status.getCustomReadExpression();
        String write = status.getCustomWriteExpression();
        return (read != null && !read.equals("{@}." + status.getSelectionExpression()))
                || (write != null && !write.equals("?"));
    }

    private Map<String, Statuses.Value> constants(
            JdbcMapping mapping, Class<?> type, String property, Collection<String> names) {
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
        List<String> unknown =
                names.stream().filter(name -> !values.containsKey(name)).toList();
        if (!unknown.isEmpty()) {
            entity.refuse("cannot be in %s: its status '%s' is a %s, which has %s."
                    .formatted(unknown, property, type.getSimpleName(), values.keySet()));
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

    private String basicProperties() {
        return Stream.of(entity.persister().getPropertyNames())
                .filter(name -> entity.persister().findAttributeMapping(name) instanceof BasicValuedModelPart)
                .collect(joining(", "));
    }
}
