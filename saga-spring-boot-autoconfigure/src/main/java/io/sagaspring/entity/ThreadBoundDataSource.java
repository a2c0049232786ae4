package io.sagaspring.entity;

import jakarta.persistence.EntityManagerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.jdbc.spi.LogicalConnectionImplementor;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Gives the connection that the thread's own entity manager holds, where it has opened one. Under open-in-view every request
 * may hold a connection already; were a claim to take a second one, a pool of four would stand still with four callers. A
 * connection with an active transaction is not given: what is done on ours is committed.
 */
final class ThreadBoundDataSource extends DelegatingDataSource {

    private final Supplier<@Nullable EntityManagerHolder> bound;

    private ThreadBoundDataSource(DataSource pool, Supplier<@Nullable EntityManagerHolder> bound) {
        super(pool);
        this.bound = bound;
    }

    /** The connection of the thread's entity manager of one factory. */
    static ThreadBoundDataSource of(DataSource pool, EntityManagerFactory entityManagers) {
        return new ThreadBoundDataSource(
                pool, () -> (EntityManagerHolder) TransactionSynchronizationManager.getResource(entityManagers));
    }

    /**
     * The connection of any entity manager of the thread that takes it from this pool.
     *
     * @param pool gives a connection where the thread has none
     * @return a source of connections for statements beside the persistence context
     */
    static DataSource ofAnyOn(DataSource pool) {
        return new ThreadBoundDataSource(pool, () -> anyOn(pool));
    }

    private static @Nullable EntityManagerHolder anyOn(DataSource pool) {
        for (Map.Entry<Object, Object> resource :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (resource.getValue() instanceof EntityManagerHolder holder
                    && resource.getKey() instanceof EntityManagerFactoryInfo entityManagers
                    && entityManagers.getDataSource() == pool) {
                return holder;
            }
        }
        return null;
    }

    @Override
    public Connection getConnection() throws SQLException {
        EntityManagerHolder holder = bound.get();
        if (holder != null) {
            SharedSessionContractImplementor session =
                    holder.getEntityManager().unwrap(SharedSessionContractImplementor.class);
            LogicalConnectionImplementor logical = session.getJdbcCoordinator().getLogicalConnection();
            // One that is not open yet would be opened by this, and kept until the request ends. One with an active
            // transaction is the caller's to commit, and statements of ours commit.
            Connection held = logical.isPhysicallyConnected() && !session.isTransactionInProgress()
                    ? logical.getPhysicalConnection()
                    : null;
            // A broken one is of no use, least of all for asking what became of its commit.
            if (held != null && !held.isClosed()) {
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
