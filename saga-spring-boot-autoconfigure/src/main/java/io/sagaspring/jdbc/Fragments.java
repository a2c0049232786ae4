package io.sagaspring.jdbc;

import java.sql.SQLException;

/**
 * Creates SQL statements, and parts of statements, for several tables.
 *
 * @since 0.1.0
 */
public final class Fragments {

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private Fragments() {}

    /**
     * Creates a statement that deletes the oldest rows that meet a condition, up to {@code :limit} rows. Nodes that
     * execute it at the same time delete different rows.
     *
     * @param name the statement's name
     * @param table the table
     * @param key the table's key column
     * @param age the indexed column that orders the rows by age
     * @param old the SQL condition that selects the rows to delete
     * @return the statement
     */
    public static Sql purge(String name, String table, String key, String age, String old) {
        return Sql.named(name, """
                WITH old AS MATERIALIZED (
                    SELECT %2$s FROM %1$s WHERE %4$s ORDER BY %3$s LIMIT :limit FOR UPDATE SKIP LOCKED)
                DELETE FROM %1$s AS t USING old WHERE t.%2$s = old.%2$s""".formatted(table, key, age, old));
    }

    /**
     * Creates a statement that waits for a lock no longer than {@code :patience}. The statement first sets {@code
     * lock_timeout}, and restores it at the end.
     *
     * @param name the statement's name
     * @param parts the queries of its WITH clause; a query that must run after the time-out has been set must select
     *     from {@code clock}
     * @param found the final query
     * @return the statement, which returns one row; if the final query finds none, the row's columns are null
     */
    public static Sql patient(String name, String parts, String found) {
        return Sql.named(name, """
                WITH clock AS MATERIALIZED (
                    SELECT current_setting('lock_timeout') AS before, set_config('lock_timeout', :patience, true) AS during),
                %s
                SELECT either.*, set_config('lock_timeout', clock.before, true) FROM clock LEFT JOIN
                    (%s) AS either ON true""".formatted(parts, found));
    }

    /**
     * Returns true if a statement failed because it could not get a lock in time.
     *
     * @param failed the exception of the statement
     * @return true if PostgreSQL reports {@code lock_not_available}
     */
    public static boolean isLockNotAvailable(SQLException failed) {
        return LOCK_NOT_AVAILABLE.equals(failed.getSQLState());
    }

    /**
     * Quotes the name of a sequence or a table as a literal, for example for {@code nextval('…')}.
     *
     * @param name the name, quoted as an identifier if necessary
     * @return the name within single quotes
     */
    public static String literal(String name) {
        return "'" + name.replace("'", "''") + "'";
    }
}
