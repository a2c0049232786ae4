package io.sagaspring.fence;

import io.sagaspring.jdbc.Sql;
import org.springframework.dao.DataAccessException;

/**
 * Tells databases apart. Two data sources, or a data source and its proxy, may lead to the same database.
 *
 * @since 0.1.0
 */
public final class DatabaseIdentity {

    private static final Sql CLUSTER = Sql.named("database.cluster", """
            SELECT pg_catalog.concat_ws(' ', system_identifier, pg_catalog.current_database()) AS identity
            FROM pg_catalog.pg_control_system()""");

    /** The address of a database, for a role that may not read the identifier of the server's cluster. */
    private static final Sql ADDRESS = Sql.named("database.address", """
            SELECT pg_catalog.concat_ws(' ', pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(),
                pg_catalog.current_database()) AS identity""");

    private DatabaseIdentity() {}

    /**
     * Returns the identity of a database.
     *
     * @param own transactions over the database
     * @return the same text for all connections to the same database
     */
    public static String of(OwnTransactions own) {
        try {
            return read(own, CLUSTER);
        } catch (DataAccessException noRight) {
            return read(own, ADDRESS);
        }
    }

    private static String read(OwnTransactions own, Sql query) {
        return own.single(connection ->
                query.on(connection).first(row -> row.text("identity")).orElseThrow());
    }
}
