package io.sagaspring.entity;

import org.jspecify.annotations.Nullable;

/**
 * The columns of one entity, quoted as its mapping has them.
 *
 * @param versionTable the table with the version, which is also the root of what is locked
 * @param versionId its key
 * @param version the version
 * @param statusTable the table with the status, often the same
 * @param statusId its key
 * @param status the status
 * @param ownTable the table whose rows are of this class and no sibling, where that is neither of the two
 * @param ownId its key
 */
record MappedColumns(
        String versionTable,
        String versionId,
        String version,
        String statusTable,
        String statusId,
        String status,
        @Nullable String ownTable,
        @Nullable String ownId) {

    /** How a statement over the version's table, under this alias, reads the status. */
    String statusOf(String alias) {
        return (isOneTable() ? alias : "s") + "." + status;
    }

    String joinStatus(String alias) {
        return isOneTable() ? "" : " JOIN %s AS s ON s.%s = %s.%s".formatted(statusTable, statusId, alias, versionId);
    }

    /** A predicate, where one is needed, that keeps rows of sibling classes out. */
    String isOfThisClass(String id) {
        return ownTable == null
                ? ""
                : " AND EXISTS (SELECT 1 FROM %s AS o WHERE o.%s = %s)".formatted(ownTable, ownId, id);
    }

    private boolean isOneTable() {
        return versionTable.equals(statusTable);
    }
}
