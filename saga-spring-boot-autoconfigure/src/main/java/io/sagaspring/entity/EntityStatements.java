package io.sagaspring.entity;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Holds the SQL of the statements about one entity.
 *
 * @param columns the columns of its id, status and version
 * @param ids the converter of its ids between the caller's value, JPA's value and the text form in the ledger
 * @param statuses its statuses, with their literals
 * @param modified the last-modified columns that flips write
 */
record EntityStatements(MappedColumns columns, EntityIds ids, Statuses statuses, LastModified modified) {

    String keyQuery() {
        return "(SELECT %s FROM %s AS i WHERE %s)".formatted(ids.keyOf("i"), columns.versionTable(), rowIs("i"));
    }

    /**
     * Returns the predicate that finds the entity's row in the table with the version. If rows have a tenant, the
     * predicate finds only a row of the current tenant.
     */
    private String rowIs(String alias) {
        return columns.versionId().is(alias) + columns.predicates().ofTenant(alias);
    }

    /**
     * Returns the query for status and version.
     *
     * @param visible true to find only a row that JPA loads, false to find any row of this class
     */
    String row(boolean visible) {
        return "SELECT %s::text AS status, %s AS version FROM %s AS v%s WHERE %s%s%s%s"
                .formatted(
                        columns.statusOf("v"),
                        columns.version().number("v."),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        rowIs("v"),
                        columns.isOfThisClass("v"),
                        columns.predicates().ofThisClass("v"),
                        visible ? columns.predicates().visible("v") : "");
    }

    /**
     * Returns the update of status and version, for an entity with both in one table.
     *
     * @param from the status that the entity must have
     * @param into the new status
     * @param versioned true to require the version in the parameter {@code :version}
     * @param visible true to require a row that JPA loads
     */
    String flip(String from, String into, boolean versioned, boolean visible) {
        VersionColumn version = columns.version();
        return "UPDATE %1$s AS t SET %2$s = %3$s, %4$s = %5$s%14$s WHERE %6$s AND t.%2$s = %7$s%8$s%9$s%10$s%11$s RETURNING %12$s AS version, %13$s AS id"
                .formatted(
                        columns.versionTable(),
                        columns.status(),
                        literal(into),
                        version.name(),
                        version.next("t."),
                        rowIs("t"),
                        literal(from),
                        columns.isOfThisClass("t"),
                        columns.predicates().ofThisClass("t"),
                        visible ? columns.predicates().visible("t") : "",
                        versioned ? " AND %s = :version".formatted(version.number("t.")) : "",
                        version.number("t."),
                        ids.keyOf("t"),
                        modified.assignmentsIn(columns.versionTable()));
    }

    String raiseVersion() {
        VersionColumn version = columns.version();
        return "UPDATE %s SET %s = %s%s WHERE %s RETURNING %s AS version"
                .formatted(
                        columns.versionTable(),
                        version.name(),
                        version.next(""),
                        modified.assignmentsIn(columns.versionTable()),
                        rowIs(""),
                        version.number(""));
    }

    /**
     * Returns the update of a version that is a time. If the version is not later than the parameter {@code :before},
     * the update makes it later.
     */
    String raiseVersionAbove(VersionTime time) {
        return "UPDATE %s SET %s = %s WHERE %s AND %s <= :before"
                .formatted(
                        columns.versionTable(),
                        columns.version().name(),
                        time.nextAfter(columns.version().name(), ":before"),
                        columns.versionId().is(""),
                        columns.version().number(""));
    }

    String moveStatus(String from, String into) {
        return "UPDATE %1$s SET %2$s = %3$s%6$s WHERE %4$s AND %2$s = %5$s RETURNING 1 AS version"
                .formatted(
                        columns.statusTable(),
                        columns.status(),
                        literal(into),
                        columns.statusId().is(""),
                        literal(from),
                        modified.assignmentsIn(columns.statusTable()));
    }

    /**
     * Returns the update of status and version at the end of a step, for an entity with both in one table. If the row's
     * status or version has changed since the action began, the update takes effect only if this transaction was the
     * last to write the row.
     *
     * @param from the status before the action
     * @param into the new status
     */
    String flipLast(String from, String into) {
        VersionColumn version = columns.version();
        return "UPDATE %1$s AS t SET %2$s = %3$s, %4$s = %5$s%6$s WHERE %7$s AND t.%2$s IN (%8$s, %3$s) AND CASE WHEN %9$s = :version AND t.%2$s = %8$s THEN true ELSE EXISTS (%10$s) END%11$s%12$s%13$s RETURNING %9$s AS version"
                .formatted(
                        columns.versionTable(),
                        columns.status(),
                        literal(into),
                        version.name(),
                        version.next("t."),
                        modified.assignmentsIn(columns.versionTable()),
                        rowIs("t"),
                        literal(from),
                        version.number("t."),
                        ownWriteOf(""),
                        columns.isOfThisClass("t"),
                        columns.predicates().ofThisClass("t"),
                        columns.predicates().visible("t"));
    }

    /**
     * Returns a query that finds the row if this transaction was the last to write it, even if the write came after a
     * savepoint.
     */
    String ownWrite() {
        return ownWriteOf(" FROM %s AS t WHERE %s".formatted(columns.versionTable(), rowIs("t")));
    }

    private static String ownWriteOf(String row) {
        // A row that was written after a savepoint contains the number of a subtransaction, so a comparison with this
        // transaction's own number is not enough. Among the visible rows, only those that this transaction wrote
        // contain the number of a transaction in progress. A row contains only the lower half of that number. The query
        // completes it to the full number that is nearest to this transaction's own. The row was written after this
        // transaction first read it, so the two numbers are close.
        return """
                SELECT 1 FROM (SELECT t.xmin::text::bigint AS written, pg_catalog.pg_current_xact_id()::text::bigint AS own%s) AS x
                WHERE pg_catalog.pg_xact_status(
                    (written + (own - written + 2147483648) / 4294967296 * 4294967296)::text::pg_catalog.xid8)
                    = 'in progress'""".formatted(row);
    }

    /**
     * Returns the query for the entities that have one of these statuses, for all tenants whose rows are in the table.
     */
    String idsIn(Collection<String> names) {
        TenantColumn tenant = columns.predicates().tenant();
        return "SELECT %s AS id, %s AS status%s FROM %s AS v%s WHERE %s IN (%s)%s%s%s"
                .formatted(
                        ids.keyOf("v"),
                        statusNameIn(columns.statusOf("v"), names),
                        tenant == null ? "" : ", %s AS tenant".formatted(tenant.text("v")),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        columns.statusOf("v"),
                        literals(names),
                        columns.isOfThisClass("v"),
                        columns.predicates().ofThisClass("v"),
                        columns.predicates().visible("v"));
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
