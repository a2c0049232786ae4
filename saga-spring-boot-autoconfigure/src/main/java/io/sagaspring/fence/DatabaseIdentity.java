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
     * Contains the start of the server, because the server of a restored backup has the same names and numbers. Every
     * role may read the parts, so the query never fails in a transaction of the application.
     */
    private static final Sql IDENTITY = Sql.named("database.identity", """
            SELECT pg_catalog.concat_ws(' ', oid, datname,
                extract(epoch FROM pg_catalog.pg_postmaster_start_time())) AS identity
            FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()""");

    private DatabaseIdentity() {}

    /**
     * Returns the identity of a database.
     *
     * @param own transactions over the database
     * @return the same text for all connections to the same database, until its server restarts
     */
    public static String of(OwnTransactions own) {
        return own.single(DatabaseIdentity::of);
    }

    /**
     * Returns true if two identities may be those of one database, before and after a restart of its server.
     *
     * @param one an identity
     * @param other another identity
     * @return false if they differ in more than the start of the server
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
