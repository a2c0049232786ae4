package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens connections outside the pool for the keeper, so that no load of the application can starve the keeper. If such
 * a connection is refused or cannot renew leases, this source takes one from the pool. The pool may succeed, because
 * its configuration may contain more than an address and a user, such as a certificate, a role or a token that is
 * refreshed.
 */
final class DedicatedConnection extends AbstractDataSource {

    private final DataSource own;
    private final DataSource pool;
    private final String probe;

    DedicatedConnection(DataSource own, DataSource pool, String probe) {
        this.own = own;
        this.pool = pool;
        this.probe = probe;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            return usable(own.getConnection());
        } catch (SQLException refused) {
            try {
                return pool.getConnection();
            } catch (SQLException refusedToo) {
                refused.addSuppressed(refusedToo);
                throw refused;
            }
        }
    }

    private Connection usable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(probe);
            return connection;
        } catch (Throwable refused) {
            connection.close();
            throw refused;
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return own.getConnection(user, password);
    }
}
