package io.sagaspring.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * The data source for an application without a database. The keeper never opens a connection, because it has no lease
 * to renew in any of the library's tables.
 */
final class NoConnections extends AbstractDataSource {

    @Override
    public Connection getConnection() throws SQLException {
        throw new SQLException("The application has no DataSource.");
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }
}
