package io.sagaspring.entity;

import io.sagaspring.database.DatabaseSource;
import io.sagaspring.database.Databases;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.OutOfStep;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.TransactionPhase;
import io.sagaspring.jdbc.Sql;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.hibernate.ConnectionAcquisitionMode;
import org.hibernate.ConnectionReleaseMode;
import org.hibernate.Session;
import org.hibernate.cache.spi.access.EntityDataAccess;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.jdbc.spi.LogicalConnectionImplementor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A persistence unit of the application, and transactions over its data source.
 *
 * @since 0.1.0
 */
public final class PersistenceUnit {

    private static final Logger logger = LoggerFactory.getLogger(PersistenceUnit.class);

    private static final Sql READ_COMMITTED =
            Sql.named("entity.read-committed", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");

    private final EntityManagerFactory entityManagers;
    private final PlatformTransactionManager transactionManager;
    private final OwnTransactions own;
    private final UnitTenants tenants;

    /**
     * Creates a unit of the application.
     *
     * @param entityManagers the factory of its entity managers
     * @param transactionManager the transaction manager that the application's own code uses for the unit
     * @param dataSource the source of its connections
     * @param databases the databases that hold claims
     * @param maySwitch true if a connection of the data source may lead to the database of a tenant
     */
    public PersistenceUnit(
            EntityManagerFactory entityManagers,
            PlatformTransactionManager transactionManager,
            DataSource dataSource,
            Databases databases,
            boolean maySwitch) {
        this.entityManagers = entityManagers;
        this.transactionManager = transactionManager;
        this.tenants = new UnitTenants(databases.tenants(), entityManagers);
        DataSource connections = tenants.connections(dataSource);
        this.own = new OwnTransactions(ThreadBoundDataSource.of(connections, entityManagers, tenants::mayShare));
        tenants.source(
                maySwitch || tenants.haveConnections()
                        ? databases.source(new DatabaseSource.Connections(connections, own))
                        : databases.fixed());
    }

    /**
     * Returns a data source that shares the connection of any entity manager of the current thread that uses the pool.
     *
     * @param pool the pool, which provides a connection if the thread has none
     * @return a source of connections for statements outside the persistence context
     */
    public static DataSource sharing(DataSource pool) {
        return ThreadBoundDataSource.ofAnyOn(pool);
    }

    /**
     * Returns the library's own transactions, outside any persistence context. If the current thread already has a
     * connection, the transactions use it.
     *
     * @return the same object for every caller
     */
    public OwnTransactions own() {
        return own;
    }

    /**
     * Runs the application's code in a transaction. If the current thread already has an entity manager, the code gets
     * it. The transaction is always READ COMMITTED, even if the application has another default. At a stricter
     * isolation level, the transaction would fail if the keeper or a janitor had written one of its rows meanwhile.
     *
     * @param name the name of the transaction, for logs
     * @param work the work, which gets the same entity manager as the application's own code
     * @param <T> the type of the result
     * @return the result of the work; its writes are committed, unless the work marked the transaction for rollback
     */
    public <T extends @Nullable Object> T foreign(String name, BiFunction<TransactionStatus, EntityManager, T> work) {
        // Read the default isolation level before the transaction begins. Inside the transaction, reading it would need
        // a second connection.
        boolean unused = own.areReadCommittedByDefault();
        TransactionTemplate transaction = TransactionPhase.template(transactionManager);
        transaction.setName(name);
        return transaction.execute(status -> work.apply(status, begun()));
    }

    private EntityManager begun() {
        EntityManager current = entityManager();
        if (!own.areReadCommittedByDefault()) {
            // Set the level by a statement, which applies only to this transaction. The connection's own setting would
            // have to be read first and restored afterwards.
            int unused = on(current, connection -> READ_COMMITTED.on(connection).update());
        }
        return current;
    }

    /**
     * Runs statements of the library on the connection of a transaction of the application's code.
     *
     * @param current the transaction's entity manager
     * @param statements the statements, which run on the connection
     * @param <T> the type of the result
     * @return the result of the statements
     */
    public static <T extends @Nullable Object> T on(EntityManager current, OwnTransactions.Work<T> statements) {
        return current.unwrap(Session.class).doReturningWork(connection -> OutOfStep.guarded(connection, statements));
    }

    /**
     * Finds the connection of a transaction of the application's code.
     *
     * @param current the transaction's entity manager
     * @return the connection, or null if the transaction has none at this moment
     */
    public static @Nullable Connection connectionOf(EntityManager current) {
        LogicalConnectionImplementor held = current.unwrap(SharedSessionContractImplementor.class)
                .getJdbcCoordinator()
                .getLogicalConnection();
        return held.isPhysicallyConnected() ? held.getPhysicalConnection() : null;
    }

    private EntityManager entityManager() {
        EntityManager current = EntityManagerFactoryUtils.getTransactionalEntityManager(entityManagers);
        if (current == null) {
            throw new IllegalStateException("There is no transaction for this persistence unit.");
        }
        return current;
    }

    /**
     * Runs work with an entity manager bound to the thread, so that loaded entities can load their associations.
     *
     * @param work the work
     * @throws Exception if the work throws it
     */
    public void withEntityManager(Work work) throws Exception {
        // Release the connection after each read and after each transaction, because the application's code may take a
        // long time and may need its own connection.
        try (Session opened = sessionFactory()
                .withOptions()
                .connectionHandling(ConnectionAcquisitionMode.AS_NEEDED, ConnectionReleaseMode.AFTER_TRANSACTION)
                .openSession()) {
            TransactionSynchronizationManager.bindResource(entityManagers, new EntityManagerHolder(opened));
            try {
                work.with(opened);
            } finally {
                TransactionSynchronizationManager.unbindResource(entityManagers);
            }
        }
    }

    /** Work that runs with an entity manager. */
    @FunctionalInterface
    public interface Work {

        /**
         * Runs the work.
         *
         * @param entityManager the entity manager, which is bound to the thread
         * @throws Exception if the work fails
         */
        void with(EntityManager entityManager) throws Exception;
    }

    /**
     * Clears the persistence context that an open-in-view interceptor has bound to this thread, so that the step does
     * not act on stale entities.
     *
     * @throws DirtyContextException if unsaved changes would be lost
     */
    public void clearThreadContext() {
        if (TransactionSynchronizationManager.getResource(entityManagers) instanceof EntityManagerHolder bound) {
            Session session = bound.getEntityManager().unwrap(Session.class);
            requireCurrentTenant(session.unwrap(SharedSessionContractImplementor.class));
            List<String> changed = UnsavedChanges.of(session);
            if (changed != null) {
                throw new DirtyContextException(changed);
            }
            session.clear();
            endReadTransaction(session.unwrap(SharedSessionContractImplementor.class));
            releaseIfOfUnknownTenant(session.unwrap(SharedSessionContractImplementor.class));
        }
    }

    /**
     * Releases the connection of a session whose tenant Hibernate does not know. A routing data source then gives the
     * session a connection of the current tenant when it next needs one.
     */
    private void releaseIfOfUnknownTenant(SharedSessionContractImplementor session) {
        LogicalConnectionImplementor held = session.getJdbcCoordinator().getLogicalConnection();
        if (!tenants.mayShare(session) && held.isPhysicallyConnected() && !session.isTransactionInProgress()) {
            Connection unused = held.manualDisconnect();
        }
    }

    private void requireCurrentTenant(SharedSessionContractImplementor session) {
        if (!tenants.isOfCurrent(session)) {
            throw new IllegalStateException(
                    "The persistence context of this thread, kept open by open-in-view, belongs to tenant '%s', but the current tenant is '%s'. Switch the tenant before the persistence context is opened, or set spring.jpa.open-in-view=false."
                            .formatted(session.getTenantIdentifier(), tenants.resolvedName()));
        }
    }

    /**
     * Ends the transaction that a read without auto-commit has begun. Otherwise the next transaction could not set its
     * isolation level.
     */
    private static void endReadTransaction(SharedSessionContractImplementor session) {
        LogicalConnectionImplementor held = session.getJdbcCoordinator().getLogicalConnection();
        // Do not end a transaction that other code has begun explicitly, because that code will end it. That code may
        // be an outer transaction manager, whose transaction continues after an inner one has ended.
        if (held.isPhysicallyConnected() && !session.isTransactionInProgress()) {
            try {
                Connection connection = held.getPhysicalConnection();
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (SQLException failed) {
                throw new DataAccessResourceFailureException(
                        "The database connection of this thread is broken, so no step was run. Repeat the request.",
                        failed);
            }
        }
    }

    /**
     * Translates a failure of JPA as Spring does.
     *
     * @param failure the exception of the entity manager
     * @return the exception that the application's own code would get
     */
    public RuntimeException translated(RuntimeException failure) {
        JpaDialect dialect = entityManagers instanceof EntityManagerFactoryInfo info ? info.getJpaDialect() : null;
        DataAccessException translated = dialect == null ? null : dialect.translateExceptionIfPossible(failure);
        return translated == null ? failure : translated;
    }

    void forgetCached(MappedTable table, Object id) {
        try {
            evict(table, id);
        } catch (RuntimeException unreachable) {
            // Do not fail if the cache cannot be reached, because the write is already committed.
            logger.warn(
                    "Could not evict {} {} from the second-level cache, so this node may read an old status until the entry expires",
                    table,
                    LogText.of(table.text(id)),
                    unreachable);
        }
    }

    private void evict(MappedTable table, Object id) {
        EntityDataAccess cache = table.persister().getCacheAccessStrategy();
        if (tenants.areNone()) {
            sessionFactory().getCache().evict(table.entity(), id);
        } else if (cache != null) {
            // Do not use Hibernate's own method, because it evicts only entities without a tenant.
            cache.evict(cache.generateCacheKey(
                    id,
                    table.persister().getRootEntityDescriptor().getEntityPersister(),
                    sessionFactory(),
                    tenants.resolvedName()));
        }
    }

    UnitTenants tenants() {
        return tenants;
    }

    SessionFactoryImplementor sessionFactory() {
        return entityManagers.unwrap(SessionFactoryImplementor.class);
    }
}
