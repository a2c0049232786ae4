package io.sagaspring.entity;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The key columns of one table, quoted as in the mapping.
 *
 * @param columns the columns, in the order of the id's parts
 */
record KeyColumns(List<String> columns) {

    KeyColumns {
        columns = List.copyOf(columns);
    }

    /**
     * Returns the name of the parameter for one part of the id: {@code id} for the only part, or a name such as {@code
     * id1} for one of several parts.
     */
    static String parameter(int part, int parts) {
        return parts == 1 ? "id" : "id" + (part + 1);
    }

    /**
     * Returns the predicate that finds a row by the parameters of its id. Pass an empty string if the statement uses no
     * alias.
     */
    String is(String alias) {
        return equalities(alias, part -> ":" + parameter(part, columns.size()));
    }

    /** Returns the predicate that finds a row by the parameters of its id, with the parameter markers of JDBC. */
    String isParameter(String alias) {
        return equalities(alias, part -> "?");
    }

    /** Returns the predicate that joins a row to the row of another table of the same entity. */
    String is(String alias, KeyColumns other, String otherAlias) {
        return equalities(alias, part -> qualified(otherAlias, other.columns().get(part)));
    }

    private String equalities(String alias, java.util.function.IntFunction<String> value) {
        return IntStream.range(0, columns.size())
                .mapToObj(part -> "%s = %s".formatted(qualified(alias, columns.get(part)), value.apply(part)))
                .collect(Collectors.joining(" AND "));
    }

    /** Returns the columns for a SELECT list. */
    String of(String alias) {
        return columns.stream().map(column -> qualified(alias, column)).collect(Collectors.joining(", "));
    }

    private static String qualified(String alias, String column) {
        return alias.isEmpty() ? column : alias + "." + column;
    }

    /** Returns the columns, separated by commas. */
    @Override
    public String toString() {
        return of("");
    }
}
