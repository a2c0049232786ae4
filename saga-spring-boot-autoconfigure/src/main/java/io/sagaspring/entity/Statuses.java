package io.sagaspring.entity;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The statuses that an entity may have.
 *
 * @param entity the entity
 * @param known the statuses that are known in advance: the constants of an enum, or none
 * @param text the function that creates a status from any text, or null if the status is an enum
 */
record Statuses(
        Class<?> entity, Map<String, Value> known, @Nullable Function<String, Value> text) {

    /**
     * One status in its three forms.
     *
     * @param domain the value of the entity's property
     * @param literal the value in a statement
     * @param text the value that is read from the column, as text
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

    /** Returns the status's name for the text that was read from the column. */
    String nameOf(@Nullable String read) {
        return known.entrySet().stream()
                .filter(each -> each.getValue().text().equals(read))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(String.valueOf(read));
    }
}
