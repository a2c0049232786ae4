package io.sagaspring.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Returns the connection of the current transaction at every call, and ignores calls that would end the transaction.
 * Without this data source, Flyway opens several connections and commits after every script. With this data source,
 * either all scripts are committed or none. The scripts use only one connection of the application's pool, and the
 * transaction keeps the migration lock until all scripts have run.
 */
final class OneTransactionDataSource extends AbstractDataSource {

    private final DataSource dataSource;

    OneTransactionDataSource(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Connection getConnection() {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        return (Connection) Proxy.newProxyInstance(
                OneTransactionDataSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (endsTheTransaction(method)) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }

    @Override
    public Connection getConnection(String username, String password) {
        return getConnection();
    }

    private static boolean endsTheTransaction(Method method) {
        return switch (method.getName()) {
            case "commit", "setAutoCommit", "close" -> true;
            // A rollback to a savepoint has a parameter and does not end the transaction.
            case "rollback" -> method.getParameterCount() == 0;
            default -> false;
        };
    }
}
