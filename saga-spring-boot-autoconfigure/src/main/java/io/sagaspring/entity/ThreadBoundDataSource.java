package io.sagaspring.entity;

import jakarta.persistence.EntityManagerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Gives the connection that the thread's own entity manager holds, where it has one. Under open-in-view every request
 * may hold a connection already; were the claim to take a second one, a pool of four would stand still with four
 * callers.
 */
final class ThreadBoundDataSource extends DelegatingDataSource {

    private final EntityManagerFactory entityManagers;

    ThreadBoundDataSource(DataSource pool, EntityManagerFactory entityManagers) {
        super(pool);
        this.entityManagers = entityManagers;
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (TransactionSynchronizationManager.getResource(entityManagers) instanceof EntityManagerHolder bound) {
            Connection held = bound.getEntityManager()
                    .unwrap(SharedSessionContractImplementor.class)
                    .getJdbcCoordinator()
                    .getLogicalConnection()
                    .getPhysicalConnection();
            // A broken one is of no use, least of all for asking what became of its commit.
            if (!held.isClosed()) {
                return notToBeClosed(held);
            }
        }
        return super.getConnection();
    }

    private static Connection notToBeClosed(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                ThreadBoundDataSource.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }
}
