package io.sagaspring.entity;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** A data source whose connections Hibernate's connection provider opens for the current tenant. */
final class TenantConnections extends AbstractDataSource {

    private final Supplier<MultiTenantConnectionProvider<Object>> provider;
    private final Supplier<Object> current;

    TenantConnections(Supplier<MultiTenantConnectionProvider<Object>> provider, Supplier<Object> current) {
        this.provider = provider;
        this.current = current;
    }

    @Override
    public Connection getConnection() throws SQLException {
        MultiTenantConnectionProvider<Object> connections = provider.get();
        Object tenant = current.get();
        return released(
                connections.getConnection(tenant), connection -> connections.releaseConnection(tenant, connection));
    }

    @FunctionalInterface
    private interface Release {
        void of(Connection connection) throws SQLException;
    }

    private static Connection released(Connection connection, Release release) {
        AtomicBoolean closed = new AtomicBoolean();
        return (Connection) Proxy.newProxyInstance(
                TenantConnections.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (!closed.getAndSet(true)) {
                            release.of(connection);
                        }
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
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "getConnection(user, password) is not supported, because the connection provider chooses the user of a tenant's connection. Call getConnection().");
    }
}
