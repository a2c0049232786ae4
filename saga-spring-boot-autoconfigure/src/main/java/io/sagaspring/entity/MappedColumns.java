package io.sagaspring.entity;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of one entity, quoted as in its mapping.
 *
 * @param versionTable the table with the version, whose row is always locked
 * @param versionId the key columns of that table
 * @param version the column of the version
 * @param statusTable the table with the status, often the same as the version's table
 * @param statusId the key columns of that table
 * @param status the column of the status
 * @param ownTable the table that contains rows of this class but of no sibling class, or null if the version's or the
 *     status's table is such a table
 * @param ownId the key columns of that table
 * @param predicates the predicates on a row of the version's table
 */
record MappedColumns(
        String versionTable,
        KeyColumns versionId,
        VersionColumn version,
        String statusTable,
        KeyColumns statusId,
        String status,
        @Nullable String ownTable,
        @Nullable KeyColumns ownId,
        RowPredicates predicates) {

    Set<String> tables() {
        return Stream.of(versionTable, statusTable, ownTable)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }

    /** Returns these columns in the tables of one tenant. */
    MappedColumns at(TenantTables.Place place) {
        return new MappedColumns(
                place.of(versionTable),
                versionId,
                version.in(place.of(versionTable)),
                place.of(statusTable),
                statusId,
                status,
                ownTable == null ? null : place.of(ownTable),
                ownId,
                predicates);
    }

    /** Returns the expression for the status, in a statement that gives the version's table this alias. */
    String statusOf(String alias) {
        return (isOneTable() ? alias : "s") + "." + status;
    }

    String joinStatus(String alias) {
        return isOneTable() ? "" : " JOIN %s AS s ON %s".formatted(statusTable, statusId.is("s", versionId, alias));
    }

    /** Returns the predicate that excludes rows of sibling classes, or an empty string if none is needed. */
    String isOfThisClass(String alias) {
        return ownTable == null || ownId == null
                ? ""
                : " AND EXISTS (SELECT 1 FROM %s AS o WHERE %s)".formatted(ownTable, ownId.is("o", versionId, alias));
    }

    /**
     * Returns true if this status and the other status are in the same column.
     *
     * @param other the columns to compare, whose version is in the same table even if the mappings spell its name
     *     differently
     */
    boolean hasStatusOf(MappedColumns other) {
        boolean inOneTable = statusTable.equals(other.statusTable) || (isOneTable() && other.isOneTable());
        return inOneTable && status.equals(other.status);
    }

    private boolean isOneTable() {
        return versionTable.equals(statusTable);
    }
}
