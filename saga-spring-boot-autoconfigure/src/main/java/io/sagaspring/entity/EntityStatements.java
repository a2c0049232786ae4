package io.sagaspring.entity;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The texts of the statements about one entity.
 *
 * @param columns where its id, status and version lie
 * @param ids how its id is spelled
 * @param statuses its statuses as literals
 */
record EntityStatements(MappedColumns columns, EntityIds ids, Statuses statuses) {

    String keyQuery() {
        return "(SELECT %s FROM %s AS i WHERE i.%s = ?)"
                .formatted(ids.keyOf("i"), columns.versionTable(), columns.versionId());
    }

    /** Reads status and version, with a clause that locks or without one. */
    String row(String clause) {
        return "SELECT %s::text, v.%s FROM %s AS v%s WHERE v.%s = ?%s%s"
                .formatted(
                        columns.statusOf("v"),
                        columns.version(),
                        columns.versionTable(),
                        columns.joinStatus("v"),
                        columns.versionId(),
                        columns.isOfThisClass("v." + columns.versionId()),
                        clause);
    }

    /** Flips status and version where both lie in one table. */
    String flip(String from, String into, boolean versioned) {
        return "UPDATE %1$s AS t SET %2$s = %3$s, %4$s = t.%4$s + 1 WHERE t.%5$s = ? AND t.%2$s = %6$s%7$s%8$s RETURNING t.%4$s AS version, %9$s AS id"
                .formatted(
                        columns.versionTable(),
                        columns.status(),
                        literal(into),
                        columns.version(),
                        columns.versionId(),
                        literal(from),
                        columns.isOfThisClass("t." + columns.versionId()),
                        versioned ? " AND t.%s = ?".formatted(columns.version()) : "",
                        ids.keyOf("t"));
    }

    String raiseVersion() {
        return "UPDATE %1$s SET %2$s = %2$s + 1 WHERE %3$s = ? RETURNING %2$s"
                .formatted(columns.versionTable(), columns.version(), columns.versionId());
    }

    String moveStatus(String from, String into) {
        return "UPDATE %1$s SET %2$s = %3$s WHERE %4$s = ? AND %2$s = %5$s RETURNING 1"
                .formatted(
                        columns.statusTable(), columns.status(), literal(into), columns.statusId(), literal(from));
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
