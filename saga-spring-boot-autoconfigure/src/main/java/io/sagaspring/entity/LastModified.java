package io.sagaspring.entity;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The last-modified columns of an entity. A flip that bypasses JPA must write these columns itself.
 *
 * @param columns the columns; empty if flips write none
 */
record LastModified(List<Column> columns) {

    static final LastModified NONE = new LastModified(List.of());

    /**
     * A column with the time of the last change.
     *
     * @param table its table
     * @param name the column's name, quoted as in the mapping
     * @param now the expression for the current time, of the column's type
     */
    record Column(String table, String name, String now) {}

    /** Returns these columns in the tables of one tenant. */
    LastModified at(TenantTables.Place place) {
        return new LastModified(columns.stream()
                .map(column -> new Column(place.of(column.table()), column.name(), column.now()))
                .toList());
    }

    /** Returns the assignments of an update of the table, each preceded by a comma. */
    String assignmentsIn(String table) {
        return columns.stream()
                .filter(column -> column.table().equals(table))
                .map(column -> ", %s = %s".formatted(column.name(), column.now()))
                .collect(Collectors.joining());
    }
}
