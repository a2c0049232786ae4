package io.sagaspring.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** Stands for the database of an application that has none. The keeper asks it for nothing: it has no table to renew. */
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
