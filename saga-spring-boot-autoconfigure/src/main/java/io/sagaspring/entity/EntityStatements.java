package io.sagaspring.entity;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The texts of the statements about one entity.
 *
 * @param columns the columns of its id, status and version
 * @param ids converts its ids between the caller's value, JPA's value and the ledger's text
 * @param statuses its statuses, with their literals
 * @param modified the columns with the time of its last change that flips write
 */
record EntityStatements(MappedColumns columns, EntityIds ids, Statuses statuses, LastModified modified) {

    String keyQuery() {
        return "(SELECT %s FROM %s AS i WHERE i.%s = :id)"
                .formatted(ids.keyOf("i"), columns.versionTable(), columns.versionId());
    }

    /** Returns the query for status and version. */
    String row() {
        return "SELECT %s::text AS status, v.%s AS version FROM %s AS v%s WHERE v.%s = :id%s"
                .formatted(
                        columns.statusOf("v"),
                        columns.version(),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        columns.versionId(),
                        columns.isOfThisClass("v." + columns.versionId()));
    }

    /** Returns the update of status and version, for an entity with both in one table. */
    String flip(String from, String into, boolean versioned) {
        return "UPDATE %1$s AS t SET %2$s = %3$s, %4$s = t.%4$s + 1%10$s WHERE t.%5$s = :id AND t.%2$s = %6$s%7$s%8$s RETURNING t.%4$s AS version, %9$s AS id"
                .formatted(
                        columns.versionTable(),
                        columns.status(),
                        literal(into),
                        columns.version(),
                        columns.versionId(),
                        literal(from),
                        columns.isOfThisClass("t." + columns.versionId()),
                        versioned ? " AND t.%s = :version".formatted(columns.version()) : "",
                        ids.keyOf("t"),
                        modified.assignmentsIn(columns.versionTable()));
    }

    String raiseVersion() {
        return "UPDATE %1$s SET %2$s = %2$s + 1%4$s WHERE %3$s = :id RETURNING %2$s AS version"
                .formatted(
                        columns.versionTable(),
                        columns.version(),
                        columns.versionId(),
                        modified.assignmentsIn(columns.versionTable()));
    }

    String moveStatus(String from, String into) {
        return "UPDATE %1$s SET %2$s = %3$s%6$s WHERE %4$s = :id AND %2$s = %5$s RETURNING 1 AS version"
                .formatted(
                        columns.statusTable(),
                        columns.status(),
                        literal(into),
                        columns.statusId(),
                        literal(from),
                        modified.assignmentsIn(columns.statusTable()));
    }

    /**
     * Returns a query that finds the row if this transaction has written its current version, even after a savepoint.
     */
    String ownWrite() {
        // After a savepoint a row has the number of a subtransaction. Of all visible rows, only our own have a number
        // that is in progress. The row's number lacks its upper half. The query takes the full number nearest to our
        // own: the row was written after this transaction first read it.
        return """
                SELECT 1 FROM (SELECT t.xmin::text::bigint AS written, pg_catalog.pg_current_xact_id()::text::bigint AS own
                    FROM %s AS t WHERE t.%s = :id) AS x
                WHERE pg_catalog.pg_xact_status(
                    (written + (own - written + 2147483648) / 4294967296 * 4294967296)::text::pg_catalog.xid8)
                    = 'in progress'""".formatted(columns.versionTable(), columns.versionId());
    }

    String idsIn(Collection<String> names) {
        return "SELECT %s AS id, %s AS status FROM %s AS v%s WHERE %s IN (%s)%s"
                .formatted(
                        ids.keyOf("v"),
                        statusNameIn(columns.statusOf("v"), names),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        columns.statusOf("v"),
                        literals(names),
                        columns.isOfThisClass("v." + columns.versionId()));
    }

    private String statusNameIn(String column, Collection<String> names) {
        return names.stream()
                .map(name -> "WHEN %s THEN '%s'".formatted(literal(name), name.replace("'", "''")))
                .collect(Collectors.joining(" ", "CASE %s ".formatted(column), " END"));
    }

    String indexFor(Collection<String> names) {
        return "CREATE INDEX CONCURRENTLY ON %s (%s) WHERE %s IN (%s)"
                .formatted(columns.statusTable(), columns.statusId(), columns.status(), literals(names));
    }

    private String literals(Collection<String> names) {
        return names.stream().map(this::literal).collect(Collectors.joining(", "));
    }

    private String literal(String name) {
        return statuses.of(name).literal();
    }
}
