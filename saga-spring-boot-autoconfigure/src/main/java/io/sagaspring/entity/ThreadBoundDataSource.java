package io.sagaspring.entity;

import jakarta.persistence.EntityManagerFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.function.Predicate;
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
 * A data source that returns the connection of the thread's own entity manager, if that entity manager has opened one.
 * Under open-in-view every request may already hold a connection. If each claim needed a second connection, four
 * callers would block a pool of four.
 *
 * <p>A connection with an active transaction is not returned, because the library's commits would also commit that
 * transaction.
 */
final class ThreadBoundDataSource extends DelegatingDataSource {

    private final Supplier<@Nullable EntityManagerHolder> bound;
    private final Predicate<SharedSessionContractImplementor> mayShare;

    private ThreadBoundDataSource(
            DataSource pool,
            Supplier<@Nullable EntityManagerHolder> bound,
            Predicate<SharedSessionContractImplementor> mayShare) {
        super(pool);
        this.bound = bound;
        this.mayShare = mayShare;
    }

    /** Returns a data source that shares the connection of the thread's entity manager for the given factory. */
    static ThreadBoundDataSource of(
            DataSource pool,
            EntityManagerFactory entityManagers,
            Predicate<SharedSessionContractImplementor> mayShare) {
        return new ThreadBoundDataSource(
                pool,
                () -> (EntityManagerHolder) TransactionSynchronizationManager.getResource(entityManagers),
                mayShare);
    }

    /**
     * Returns a data source that shares the connection of the thread's entity manager. The entity manager may come from
     * any factory that uses the pool.
     *
     * @param pool the pool, which provides a connection if the thread has none
     * @return a source of connections for statements outside the persistence context
     */
    static DataSource ofAnyOn(DataSource pool) {
        // If Hibernate has a connection provider for tenants, the session's connection is not from the pool, so it is
        // not shared.
        return new ThreadBoundDataSource(
                pool,
                () -> anyOn(pool),
                session -> !session.getFactory().getSessionFactoryOptions().isMultiTenancyEnabled());
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
            // Use the entity manager's connection only if it is already open. Otherwise this call would open a
            // connection, and the entity manager would keep that connection until the request ends. A connection with
            // an active transaction belongs to the caller, and statements of the library would commit that transaction.
            Connection held =
                    logical.isPhysicallyConnected() && !session.isTransactionInProgress() && mayShare.test(session)
                            ? logical.getPhysicalConnection()
                            : null;
            // Do not use a broken connection. After a failed commit, the library needs a working connection to find out
            // whether the commit took effect.
            if (held != null && !held.isClosed()) {
                return uncloseable(held);
            }
        }
        return super.getConnection();
    }

    private static Connection uncloseable(Connection connection) {
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
