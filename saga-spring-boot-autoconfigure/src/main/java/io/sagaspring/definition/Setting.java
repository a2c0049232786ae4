package io.sagaspring.definition;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A piece of the configuration as written, in any shape. Wrong shapes are accepted here and reported by the rules, so
 * that one wrong shape does not hide the other faults.
 *
 * @since 0.1.0
 */
public sealed interface Setting {

    /**
     * Returns the property's full name.
     *
     * @return the name, such as {@code saga.workflows.billing.steps[0].status}
     */
    String path();

    /**
     * Returns the place of the setting.
     *
     * @return the file, line and column, or null if they are unknown
     */
    @Nullable
    String place();

    /**
     * Finds the place of a property below this one, for faults that show only when a workflow is compared with the
     * application's classes and beans.
     *
     * @param path the property's full name
     * @return the file, line and column of the property or of its nearest known parent, or null
     */
    default @Nullable String placeOf(@Nullable String path) {
        return new WrittenPlaces(this).of(path);
    }

    /**
     * A single value.
     *
     * @param path the property's full name
     * @param place the place of the value, or null if it is unknown
     * @param value the text, with its placeholders resolved; empty for an empty list or map
     * @param literal true if the file contains a bare {@code true} or {@code false}; YAML also reads ON and NO as
     * booleans
     */
    record Text(String path, @Nullable String place, String value, boolean literal) implements Setting {}

    /**
     * A list.
     *
     * @param path the property's full name
     * @param place the place of the first value, or null if it is unknown
     * @param items the items, in the order of the list
     */
    record Items(String path, @Nullable String place, List<Setting> items) implements Setting {}

    /**
     * A map.
     *
     * @param path the property's full name
     * @param place the place of the first value, or null if it is unknown
     * @param entries the entries by their keys as written
     */
    record Fields(String path, @Nullable String place, Map<String, Setting> entries) implements Setting {}
}
