package io.sagaspring.entity;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A column as the database's catalogue describes it.
 *
 * @param type the type, for messages
 * @param base the name of the type, or of the type that a domain is based on
 * @param required true if the column does not accept null
 * @param generated true if the database computes the value
 * @param labels the labels of an enum type, or null if the type is not an enum type
 */
record CatalogColumn(
        String type,
        String base,
        boolean required,
        boolean generated,
        @Nullable List<String> labels) {

    private static final Set<String> WHOLE_NUMBERS = Set.of("int2", "int4", "int8");
    private static final Set<String> TEXTS = Set.of("text", "varchar", "bpchar");

    /** The column types, by class of ids. The class can hold every value of such a type. */
    private static final Map<Class<?>, Set<String>> IDS = Map.of(
            Long.class, Set.of("int2", "int4", "int8", "numeric"),
            Integer.class, Set.of("int2", "int4"),
            Short.class, Set.of("int2"),
            java.math.BigInteger.class, Set.of("numeric"),
            UUID.class, Set.of("uuid"),
            String.class, Set.of("text", "varchar", "bpchar", "citext"));

    static boolean isIdType(Class<?> type) {
        return IDS.containsKey(type);
    }

    boolean isWholeNumber() {
        return WHOLE_NUMBERS.contains(base);
    }

    boolean isText() {
        return TEXTS.contains(base);
    }

    boolean holds(Class<?> id) {
        return IDS.getOrDefault(id, Set.of()).contains(base);
    }

    boolean isVersion() {
        return isWholeNumber() || base.equals("numeric");
    }

    /** Returns the expression for the current time, or null if the column is not a timestamp. */
    @Nullable
    String now() {
        return switch (base) {
            case "timestamp" -> "CAST(clock_timestamp() AS timestamp)";
            case "timestamptz" -> "CAST(clock_timestamp() AS timestamp with time zone)";
            default -> null;
        };
    }
}
