package io.sagaspring.entity;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The statuses that an entity may have.
 *
 * @param entity the entity
 * @param known those that are named beforehand: the constants of an enum, or none
 * @param text makes a status of any other text, or null where the status is an enum
 */
record Statuses(
        Class<?> entity, Map<String, Value> known, @Nullable Function<String, Value> text) {

    /**
     * One status in its three forms.
     *
     * @param domain the value of the entity's property
     * @param literal the value in a statement
     * @param text the value that the column reads as
     */
    record Value(Object domain, String literal, String text) {}

    Value of(String name) {
        Value found = known.get(name);
        if (found == null && text != null) {
            return text.apply(name);
        }
        if (found == null) {
            throw new IllegalArgumentException("%s has no status '%s'. It has %s. Name one of these."
                    .formatted(entity.getSimpleName(), name, known.keySet()));
        }
        return found;
    }

    /** The name of what a column reads as. */
    String nameOf(@Nullable String read) {
        return known.entrySet().stream()
                .filter(each -> each.getValue().text().equals(read))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(String.valueOf(read));
    }
}
