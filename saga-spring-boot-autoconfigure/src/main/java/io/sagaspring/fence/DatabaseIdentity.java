package io.sagaspring.fence;

import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Tells databases apart. Two data sources, or a data source and its proxy, may lead to the same database.
 *
 * @since 0.1.0
 */
public final class DatabaseIdentity {

    /**
     * Reads the database's name and oid, and the start time of its server. The start time tells the database from a
     * restored copy, which has the same name and oid. All roles are allowed to read these values. So the query does not
     * fail for lack of a privilege, which would abort a transaction of the application.
     */
    private static final Sql IDENTITY = Sql.named("database.identity", """
            SELECT pg_catalog.concat_ws(' ', oid, datname,
                extract(epoch FROM pg_catalog.pg_postmaster_start_time())) AS identity
            FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()""");

    private DatabaseIdentity() {}

    /**
     * Returns the identity of a database.
     *
     * @param own the transactions on connections to the database
     * @return the same text for all connections to the same database, until its server restarts
     */
    public static String of(OwnTransactions own) {
        return own.single(DatabaseIdentity::of);
    }

    /**
     * Returns true if two identities may belong to the same database. If only the start times of their servers differ,
     * the server may have been restarted in between.
     *
     * @param one the first identity
     * @param other the second identity
     * @return false if they differ in more than the server's start time
     */
    public static boolean mayBeOne(String one, String other) {
        return withoutStart(one).equals(withoutStart(other));
    }

    private static String withoutStart(String identity) {
        return identity.substring(0, identity.lastIndexOf(' '));
    }

    /**
     * Returns the identity of a connection's database.
     *
     * @param connection the connection
     * @return the same text for all connections to the same database, until its server restarts
     * @throws SQLException if the database cannot be reached
     */
    public static String of(Connection connection) throws SQLException {
        return IDENTITY.on(connection).first(row -> row.text("identity")).orElseThrow();
    }
}
