package io.sagaspring.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Hands out the connection of the transaction that is under way, as often as it is asked, and keeps for itself when that
 * transaction ends. Flyway would open several connections and commit after every script; so it is all or nothing, needs
 * one connection of the application's pool, and cannot outlive the lock that the transaction holds.
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
            // Not the one to a savepoint.
            case "rollback" -> method.getParameterCount() == 0;
            default -> false;
        };
    }
}
