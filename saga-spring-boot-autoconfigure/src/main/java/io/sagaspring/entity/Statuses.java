package io.sagaspring.entity;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The statuses that an entity may have.
 *
 * @param entity the entity's class
 * @param known the statuses by name if there is a fixed list, such as the constants of the status's type; otherwise
 *     empty
 * @param text the function that creates a status from any string, or null if there is a fixed list
 * @param stored the conversion from a status to the string that the database returns
 */
record Statuses(
        Class<?> entity, Map<String, Value> known, @Nullable Function<String, Value> text, StoredText stored) {

    /**
     * One status in its three forms.
     *
     * @param domain the value of the entity's property
     * @param literal the value as an SQL literal
     * @param text the string that is read from the column
     */
    record Value(Object domain, String literal, String text) {}

    Value of(String name) {
        Value found = known.get(name);
        if (found == null && text != null) {
            return text.apply(name);
        }
        if (found == null) {
            throw new IllegalArgumentException("%s has no status '%s'. Its statuses are %s. Name one of these."
                    .formatted(entity.getSimpleName(), name, known.keySet()));
        }
        return found;
    }

    /** Returns the status's name for the value of the entity's property. */
    String nameOf(@Nullable Object value) {
        for (Map.Entry<String, Value> each : known.entrySet()) {
            if (each.getValue().domain() == value) {
                return each.getKey();
            }
        }
        for (Map.Entry<String, Value> each : known.entrySet()) {
            if (each.getValue().domain().equals(value)) {
                return each.getKey();
            }
        }
        return nameOfText(stored.of(value));
    }

    /** Returns the status's name for the string that was read from the column. */
    String nameOfText(@Nullable String read) {
        String text = read == null ? "null" : stored.normal(read);
        for (Map.Entry<String, Value> each : known.entrySet()) {
            if (each.getValue().text().equals(text)) {
                return each.getKey();
            }
        }
        // An unknown string in the column may equal the name of a constant that is stored as a different string. Quotes
        // distinguish the unknown string from that constant.
        return known.containsKey(text) ? "'%s'".formatted(text) : text;
    }
}
