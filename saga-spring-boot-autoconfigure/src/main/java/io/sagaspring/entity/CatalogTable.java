package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table as the database's catalogue describes it.
 *
 * @param ordinary true if this is a table whose rows can be locked, not a view
 * @param columns the columns, by name
 * @param keys the columns of each unique key
 */
record CatalogTable(boolean ordinary, Map<String, CatalogColumn> columns, List<Set<String>> keys) {

    private static final String NAME = "(?:\"(?:[^\"]|\"\")+\"|[\\p{L}_][\\p{L}\\d_$]*)";
    private static final Pattern COLUMN = Pattern.compile(NAME);
    private static final Pattern TABLE = Pattern.compile("(?:%1$s\\.)?%1$s".formatted(NAME));

    private static final Sql COLUMNS = Sql.named("entity.columns", """
            SELECT c.relkind IN ('r', 'p') AS ordinary, a.attname::text AS name, b.typname::text AS base,
                pg_catalog.format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
                a.attgenerated <> '' AS generated, b.typtype = 'e' AS enumerated,
                coalesce((SELECT pg_catalog.array_to_string(pg_catalog.array_agg(e.enumlabel ORDER BY e.enumsortorder), E'\\n')
                    FROM pg_catalog.pg_enum AS e WHERE e.enumtypid = b.oid), '') AS labels
            FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
            JOIN pg_catalog.pg_type AS b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
            WHERE c.oid = pg_catalog.to_regclass(:table::text)
            ORDER BY a.attnum""");

    private static final Sql KEYS = Sql.named("entity.keys", """
            SELECT i.indexrelid::text AS key, a.attname::text AS name
            FROM pg_catalog.pg_index AS i
            JOIN pg_catalog.pg_attribute AS a
                ON a.attrelid = i.indrelid
                AND pg_catalog.array_position(i.indkey::int2[], a.attnum) < i.indnkeyatts
            WHERE i.indrelid = pg_catalog.to_regclass(:table::text)
                AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL""");

    /** Returns true if the text is a table name as written in SQL, possibly with a schema. */
    static boolean isTableName(String text) {
        return TABLE.matcher(text).matches();
    }

    /** Returns true if the text is a column name as written in SQL. */
    static boolean isColumnName(String text) {
        return COLUMN.matcher(text).matches();
    }

    /** Reads the catalogue. Returns null if the database finds no such table. */
    static @Nullable CatalogTable read(OwnTransactions own, String table) {
        return own.together(connection -> read(connection, table));
    }

    private static @Nullable CatalogTable read(Connection connection, String table) throws SQLException {
        Map<String, CatalogColumn> columns = new LinkedHashMap<>();
        List<Boolean> ordinary = COLUMNS.on(connection).with("table", table).list(row -> {
            columns.put(
                    row.text("name"),
                    new CatalogColumn(
                            row.text("type"),
                            row.text("base"),
                            row.is("required"),
                            row.is("generated"),
                            row.is("enumerated") ? row.text("labels").lines().toList() : null));
            return row.is("ordinary");
        });
        if (ordinary.isEmpty()) {
            return null;
        }
        Map<String, Set<String>> keys =
                KEYS
                        .on(connection)
                        .with("table", table)
                        .list(row -> Map.entry(row.text("key"), row.text("name")))
                        .stream()
                        .collect(Collectors.groupingBy(
                                Map.Entry::getKey,
                                Collectors.mapping(Map.Entry::getValue, Collectors.toCollection(TreeSet::new))));
        return new CatalogTable(ordinary.get(0), columns, List.copyOf(keys.values()));
    }

    /** Returns the column for a name written in SQL, or null if there is no such column. */
    @Nullable
    CatalogColumn column(String name) {
        return columns.get(plain(name));
    }

    /** Returns true if a unique key consists of these columns or of some of them. */
    boolean isUnique(List<String> names) {
        Set<String> plain = names.stream().map(CatalogTable::plain).collect(Collectors.toSet());
        return keys.stream().anyMatch(plain::containsAll);
    }

    /** Returns the name in the catalogue's spelling. */
    private static String plain(String name) {
        return name.startsWith("\"")
                ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
                : name.toLowerCase(Locale.ROOT);
    }
}
