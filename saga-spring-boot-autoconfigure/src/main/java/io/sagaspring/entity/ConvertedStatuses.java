package io.sagaspring.entity;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.type.descriptor.java.JavaType;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/**
 * Reads the statuses of a property whose values JPA converts. Each status must be stored as a different value and read
 * back as itself. Otherwise a statement of the library could write or find a different status than JPA would.
 */
final class ConvertedStatuses {

    private final MappedEntity entity;
    private final String property;
    private final StatusColumn column;

    ConvertedStatuses(MappedEntity entity, String property, StatusColumn column) {
        this.entity = entity;
        this.property = property;
        this.column = column;
    }

    /**
     * Returns the constants of the property's type. If the type has none, a status can be any string that the
     * conversion reads and stores unchanged.
     *
     * @param names every status that a workflow names
     */
    Statuses statuses(Collection<String> names) {
        Class<?> type = column.mapping().getJavaTypeDescriptor().getJavaTypeClass();
        Map<String, Object> constants = StatusConstants.of(type);
        Map<String, Statuses.Value> values = new LinkedHashMap<>();
        if (!constants.isEmpty()) {
            StatusMapping.refuseUnknown(entity, property, type, constants.keySet(), names);
            constants.forEach((name, constant) -> add(values, name, constant));
            refuseEqual(values);
            values.forEach(this::refuseUnlessReadBack);
            return new Statuses(entity.type(), values, null, column);
        }
        for (String name : names) {
            try {
                values.put(name, ofText(name));
            } catch (IllegalArgumentException refused) {
                entity.refusals().add(String.valueOf(refused.getMessage()));
            }
        }
        refuseEqual(values);
        return new Statuses(entity.type(), Map.of(), this::ofText, column);
    }

    private void add(Map<String, Statuses.Value> values, String name, Object constant) {
        try {
            String text = column.of(constant);
            String again = column.of(constant);
            if (text == null) {
                refuse("whose constant %s is stored as null. Convert every constant to a value that is not null."
                        .formatted(name));
            } else if (!text.equals(again)) {
                refuse(
                        "whose constant %s is stored as '%s' and then as '%s'. Make the conversion return the same value each time."
                                .formatted(name, text, again));
            } else {
                values.put(name, new Statuses.Value(constant, column.literal(text), text));
            }
        } catch (RuntimeException failed) {
            refuseFailed(name, failed);
        }
    }

    private void refuseUnlessReadBack(String name, Statuses.Value value) {
        try {
            Object back = column.domain(value.text());
            if (!value.domain().equals(back)) {
                refuse(
                        "whose constant %s is stored as '%s' and read back as %s. Make the conversion return the constant, or an object that equals it."
                                .formatted(name, value.text(), back));
            }
        } catch (RuntimeException failed) {
            refuseFailed(name, failed);
        }
    }

    private void refuseFailed(String name, RuntimeException failed) {
        refuse(
                "whose constant %s cannot be converted: %s. Make the conversion accept every constant in both directions."
                        .formatted(name, NestedExceptionUtils.getMostSpecificCause(failed)));
    }

    private Statuses.Value ofText(String name) {
        Object domain;
        String text;
        try {
            domain = column.domain(name);
            text = column.of(domain);
        } catch (RuntimeException failed) {
            throw notStorable(
                    name,
                    "has a conversion that fails for that text: " + NestedExceptionUtils.getMostSpecificCause(failed),
                    failed);
        }
        if (domain == null || text == null || !name.equals(text)) {
            throw notStorable(
                    name,
                    "would store that text as %s".formatted(text == null ? "null" : "'%s'".formatted(text)),
                    null);
        }
        return new Statuses.Value(domain, column.literal(text), text);
    }

    private IllegalArgumentException notStorable(String name, String because, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "Entity %s cannot have the status '%s'. Its property '%s' %s. Use the stored text as the name of a status."
                        .formatted(entity.type().getName(), name, property, because),
                cause);
    }

    /**
     * Refuses two statuses that are stored as the same value, because statements could not distinguish them. Also
     * refuses two statuses that are equal, because JPA would not write a change from one to the other.
     */
    private void refuseEqual(Map<String, Statuses.Value> values) {
        List<Map.Entry<String, Statuses.Value>> all = List.copyOf(values.entrySet());
        for (int position = 0; position < all.size(); position++) {
            for (Map.Entry<String, Statuses.Value> other : all.subList(position + 1, all.size())) {
                refuseIfEqual(all.get(position), other);
            }
        }
    }

    private void refuseIfEqual(Map.Entry<String, Statuses.Value> one, Map.Entry<String, Statuses.Value> other) {
        if (one.getValue().text().equals(other.getValue().text())) {
            refuse("whose statuses %s and %s are both stored as '%s'. Store each as a different value."
                    .formatted(one.getKey(), other.getKey(), one.getValue().text()));
        } else if (areEqual(one.getValue().domain(), other.getValue().domain())) {
            refuse(
                    "whose statuses %s and %s are equal, so JPA would not write a change from one to the other. Make equals compare the stored values."
                            .formatted(one.getKey(), other.getKey()));
        }
    }

    @SuppressWarnings("unchecked") // The values are of the mapping's own type.
    private boolean areEqual(Object one, Object other) {
        return ((JavaType<Object>) column.mapping().getJavaTypeDescriptor()).areEqual(one, other);
    }

    private void refuse(String clause) {
        entity.refuse("has a status property '%s' %s".formatted(property, clause));
    }
}
