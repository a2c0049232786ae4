package io.sagaspring.entity;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Sql;
import java.util.List;
import java.util.Optional;

/**
 * The table that the database finds by its name in the mapping. A connection with another search path may find another
 * table.
 *
 * @param name the table, quoted if necessary, with its schema unless the schema is {@code public}
 * @param exists true if the database finds the table
 * @param keepsSpelling true if two different strings are never the same key
 */
record TableLocation(String name, boolean exists, boolean keepsSpelling) {

    private static final Sql LOCATE = Sql.named("entity.location", """
            SELECT CASE n.nspname WHEN 'public' THEN '' ELSE pg_catalog.quote_ident(n.nspname) || '.' END
                    || pg_catalog.quote_ident(c.relname) AS name,
                a.atttypid NOT IN ('pg_catalog.text'::regtype, 'pg_catalog.varchar'::regtype,
                    'pg_catalog.uuid'::regtype, 'pg_catalog.int8'::regtype, 'pg_catalog.int4'::regtype,
                    'pg_catalog.int2'::regtype, 'pg_catalog.numeric'::regtype)
                    OR NOT coalesce(l.collisdeterministic, true) AS varies
            FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_catalog.pg_attribute AS a
                ON a.attrelid = c.oid AND a.attname = (pg_catalog.parse_ident(:key::text))[1]
            LEFT JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation
            WHERE c.oid = pg_catalog.to_regclass(:table::text)""");

    private static final Sql QUALIFIED = Sql.named("entity.qualified", """
            SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) AS name
            FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
            WHERE c.oid = pg_catalog.to_regclass(:table::text)""");

    /** Returns the table's name with its schema, or empty if the database does not find the table. */
    static Optional<String> qualified(OwnTransactions own, String table) {
        return own.single(
                connection -> QUALIFIED.on(connection).with("table", table).first(row -> row.text("name")));
    }

    /**
     * Finds the table on a connection of the entity's database.
     *
     * @param own the transactions over the entity's database
     * @param table the table's name in the mapping
     * @param key the table's key columns
     * @param varying the key columns whose values may have several spellings
     * @return the place of the table
     */
    static TableLocation of(OwnTransactions own, String table, KeyColumns key, List<String> varying) {
        TableLocation found = of(own, table, varying.isEmpty() ? key.columns().get(0) : varying.get(0));
        boolean keepsSpelling = varying.isEmpty()
                || (found.keepsSpelling()
                        && varying.stream()
                                .skip(1)
                                .allMatch(column -> of(own, table, column).keepsSpelling()));
        return new TableLocation(found.name(), found.exists(), keepsSpelling);
    }

    private static TableLocation of(OwnTransactions own, String table, String key) {
        return own.single(connection -> LOCATE.on(connection)
                        .with("key", key)
                        .with("table", table)
                        .first(row -> new TableLocation(row.text("name"), true, !row.is("varies"))))
                .orElseGet(() -> new TableLocation(table, false, true));
    }
}
