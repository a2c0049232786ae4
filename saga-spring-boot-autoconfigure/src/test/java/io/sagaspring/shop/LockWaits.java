package io.sagaspring.shop;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Counts the sessions of a database that wait for a lock. The other databases of the server are left out, because other
 * tests may use them.
 */
public final class LockWaits {

    private static final String WAITING =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

    private LockWaits() {}

    /** Counts the sessions of this database that wait for a lock. */
    public static long in(JdbcClient database) {
        return database.sql(WAITING).query(Long.class).single();
    }

    /** Counts the sessions of this database that wait for a lock in the statement with this name. */
    public static long in(JdbcClient database, String statement) {
        return database.sql(WAITING + " AND query LIKE ?")
                .param("%%/* saga:%s */%%".formatted(statement))
                .query(Long.class)
                .single();
    }
}
