package io.sagaspring.jdbc;

import java.sql.SQLException;

/**
 * Parts that several tables' statements share.
 *
 * @since 0.1.0
 */
public final class Fragments {

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private Fragments() {}

    /**
     * Makes a statement that deletes the oldest rows, up to {@code :limit}. Nodes that do so at once share the rows.
     *
     * @param name the statement's name
     * @param table the table
     * @param key its key
     * @param age the indexed column by which rows are old
     * @param old tells whether a row is to go
     * @return the statement
     */
    public static Sql purge(String name, String table, String key, String age, String old) {
        return Sql.named(name, """
                WITH old AS MATERIALIZED (
                    SELECT %2$s FROM %1$s WHERE %4$s ORDER BY %3$s LIMIT :limit FOR UPDATE SKIP LOCKED)
                DELETE FROM %1$s AS t USING old WHERE t.%2$s = old.%2$s""".formatted(table, key, age, old));
    }

    /**
     * Makes a statement that waits for a lock no longer than {@code :patience}, and leaves the transaction's own time-out as
     * it was. The setting is put back in the statement, after its rows were written.
     *
     * @param name the statement's name
     * @param parts the queries of its WITH clause; those that run first select from {@code clock}, too
     * @param found the query that it ends with
     * @return the statement, which returns one row, of nulls where the query finds none
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
     * Tells whether a statement has waited for a lock for too long.
     *
     * @param failed what it threw
     * @return whether that is why
     */
    public static boolean isLockNotAvailable(SQLException failed) {
        return LOCK_NOT_AVAILABLE.equals(failed.getSQLState());
    }

    /**
     * Writes a sequence or a table as an argument: {@code nextval('…')}.
     *
     * @param name the name, quoted where it must be
     * @return the name within single quotes
     */
    public static String literal(String name) {
        return "'" + name.replace("'", "''") + "'";
    }
}
