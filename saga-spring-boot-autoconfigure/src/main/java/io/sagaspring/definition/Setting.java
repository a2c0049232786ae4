package io.sagaspring.definition;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A piece of configuration as it was written, whatever its shape: the rules say what is wrong with a shape, so that one
 * wrong shape does not hide the other faults.
 *
 * @since 0.1.0
 */
public sealed interface Setting {

    /**
     * The property's full name.
     *
     * @return such as {@code saga.workflows.billing.steps[0].status}
     */
    String path();

    /**
     * Where it was written.
     *
     * @return file, line and column, or null where that is not known
     */
    @Nullable
    String place();

    /**
     * Finds where something below this was written, for faults that show only once the application is known.
     *
     * @param path its full name
     * @return file, line and column of it or of the nearest thing above it that is known, or null
     */
    default @Nullable String placeOf(@Nullable String path) {
        return new WrittenPlaces(this).of(path);
    }

    /**
     * A single value.
     *
     * @param path the property's full name
     * @param place where it was written, if known
     * @param value the text, placeholders resolved; empty for an empty list or map, too
     * @param literal whether the file held a bare {@code true} or {@code false}, which YAML also makes of ON and NO
     */
    record Text(String path, @Nullable String place, String value, boolean literal) implements Setting {}

    /**
     * A list.
     *
     * @param path the property's full name
     * @param place where its first value was written, if known
     * @param items in their order
     */
    record Items(String path, @Nullable String place, List<Setting> items) implements Setting {}

    /**
     * A map.
     *
     * @param path the property's full name
     * @param place where its first value was written, if known
     * @param entries by their key as it was written
     */
    record Fields(String path, @Nullable String place, Map<String, Setting> entries) implements Setting {}
}
