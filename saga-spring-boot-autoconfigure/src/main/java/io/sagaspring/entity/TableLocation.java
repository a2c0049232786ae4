package io.sagaspring.entity;

import java.sql.PreparedStatement;
import java.sql.ResultSet;

/**
 * Where the database finds a table of the mapping: another connection, with another search path, may find another one.
 *
 * @param name the table, quoted where it must be, with its schema unless that is {@code public}
 * @param exists whether the database finds it
 * @param keepsSpelling whether its key is text that equals no other text
 */
record TableLocation(String name, boolean exists, boolean keepsSpelling) {

    /** Asks the database through the unit's own connection. */
    static TableLocation of(PersistenceUnit unit, String table, String key) {
        return unit.own().single(connection -> {
            try (PreparedStatement statement = connection.prepareStatement("""
                    SELECT CASE n.nspname WHEN 'public' THEN '' ELSE pg_catalog.quote_ident(n.nspname) || '.' END
                            || pg_catalog.quote_ident(c.relname),
                        a.atttypid NOT IN ('pg_catalog.text'::regtype, 'pg_catalog.varchar'::regtype,
                            'pg_catalog.uuid'::regtype, 'pg_catalog.int8'::regtype, 'pg_catalog.int4'::regtype,
                            'pg_catalog.int2'::regtype, 'pg_catalog.numeric'::regtype)
                            OR NOT coalesce(l.collisdeterministic, true)
                    FROM pg_catalog.pg_class AS c
                    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
                    LEFT JOIN pg_catalog.pg_attribute AS a
                        ON a.attrelid = c.oid AND a.attname = (pg_catalog.parse_ident(?::text))[1]
                    LEFT JOIN pg_catalog.pg_collation AS l ON l.oid = a.attcollation
                    WHERE c.oid = pg_catalog.to_regclass(?::text)""")) {
                statement.setString(1, key);
                statement.setString(2, table);
                try (ResultSet found = statement.executeQuery()) {
                    return found.next()
                            ? new TableLocation(found.getString(1), true, !found.getBoolean(2))
                            : new TableLocation(table, false, true);
                }
            }
        });
    }
}
