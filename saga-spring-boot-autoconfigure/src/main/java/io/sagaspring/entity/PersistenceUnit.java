package io.sagaspring.entity;

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
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.jdbc.spi.LogicalConnectionImplementor;
import org.jspecify.annotations.Nullable;
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

    private static final Sql READ_COMMITTED =
            Sql.named("entity.read-committed", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");

    private final EntityManagerFactory entityManagers;
    private final PlatformTransactionManager transactionManager;
    private final OwnTransactions own;

    /**
     * A unit of the application.
     *
     * @param entityManagers its entity managers
     * @param transactionManager the one that the application's own code uses for it
     * @param dataSource where its connections come from
     */
    public PersistenceUnit(
            EntityManagerFactory entityManagers, PlatformTransactionManager transactionManager, DataSource dataSource) {
        this.entityManagers = entityManagers;
        this.transactionManager = transactionManager;
        this.own = new OwnTransactions(ThreadBoundDataSource.of(dataSource, entityManagers));
    }

    /**
     * Shares the connection of any entity manager of the current thread that takes it from this pool.
     *
     * @param pool gives a connection where the thread has none
     * @return a source of connections for statements beside the persistence context
     */
    public static DataSource sharing(DataSource pool) {
        return ThreadBoundDataSource.ofAnyOn(pool);
    }

    /**
     * Transactions beside any persistence context, on the connection that this thread may already have.
     *
     * @return the same for every caller
     */
    public OwnTransactions own() {
        return own;
    }

    /**
     * Runs foreign code in a transaction, through the entity manager that this thread may already have. The transaction is
     * READ COMMITTED whatever the application prefers, so that keeper and janitor never make it fail.
     *
     * @param name what it is for, as it shows in logs
     * @param work gets the entity manager that also the application's own code gets
     * @param <T> the type of the result
     * @return what the work returned, committed unless it was rolled back
     */
    public <T extends @Nullable Object> T foreign(String name, BiFunction<TransactionStatus, EntityManager, T> work) {
        // Asked before the transaction begins: inside, the answer would need a second connection.
        boolean unused = own.areReadCommittedByDefault();
        TransactionTemplate transaction = TransactionPhase.template(transactionManager);
        transaction.setName(name);
        return transaction.execute(status -> work.apply(status, begun()));
    }

    private EntityManager begun() {
        EntityManager current = entityManager();
        if (!own.areReadCommittedByDefault()) {
            // By a statement: set on the connection, it would have to be read before and set back after.
            int unused = on(current, connection -> READ_COMMITTED.on(connection).update());
        }
        return current;
    }

    /**
     * Runs statements of ours on the connection of a foreign transaction.
     *
     * @param current its entity manager
     * @param statements execute on it
     * @param <T> the type of the result
     * @return what they found
     */
    public static <T extends @Nullable Object> T on(EntityManager current, OwnTransactions.Work<T> statements) {
        return current.unwrap(Session.class).doReturningWork(connection -> OutOfStep.guarded(connection, statements));
    }

    /**
     * Finds the connection of a foreign transaction.
     *
     * @param current its entity manager
     * @return the connection, or null if it has none at this moment
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
     * Runs work with an entity manager bound to the thread, so that what it loads can go on loading.
     *
     * @param work what to run
     * @throws Exception what it threw
     */
    public void withEntityManager(Work work) throws Exception {
        // The connection goes back after each read, and after each transaction: foreign code may take long, and needs
        // one of its own.
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

    /** What runs with an entity manager. */
    @FunctionalInterface
    public interface Work {

        /**
         * Runs.
         *
         * @param entityManager bound to the thread
         * @throws Exception whatever it likes
         */
        void with(EntityManager entityManager) throws Exception;
    }

    /**
     * Empties the context that an open-in-view interceptor has bound to this thread, so that nothing stale is acted on.
     *
     * @throws DirtyContextException if that would lose changes
     */
    public void forgetWhatThisThreadHasLoaded() {
        if (TransactionSynchronizationManager.getResource(entityManagers) instanceof EntityManagerHolder bound) {
            Session session = bound.getEntityManager().unwrap(Session.class);
            List<String> changed = UnsavedChanges.of(session);
            if (changed != null) {
                throw new DirtyContextException(changed);
            }
            session.clear();
            endWhatWasRead(session.unwrap(SharedSessionContractImplementor.class));
        }
    }

    /** Without auto-commit whatever was read has begun a transaction, and the isolation of one that runs cannot change. */
    private static void endWhatWasRead(SharedSessionContractImplementor session) {
        LogicalConnectionImplementor held = session.getJdbcCoordinator().getLogicalConnection();
        // A transaction that somebody has begun is theirs to end: that of an outer manager, while an inner one has
        // ended its own.
        if (held.isPhysicallyConnected() && !session.isTransactionInProgress()) {
            try {
                Connection connection = held.getPhysicalConnection();
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            } catch (SQLException failed) {
                throw new DataAccessResourceFailureException("The connection of this thread is broken.", failed);
            }
        }
    }

    /**
     * Makes of a failure of JPA what Spring would have made of it.
     *
     * @param failure what the entity manager threw
     * @return what the application's own code would have seen
     */
    public RuntimeException translated(RuntimeException failure) {
        JpaDialect dialect = entityManagers instanceof EntityManagerFactoryInfo info ? info.getJpaDialect() : null;
        DataAccessException translated = dialect == null ? null : dialect.translateExceptionIfPossible(failure);
        return translated == null ? failure : translated;
    }

    SessionFactoryImplementor sessionFactory() {
        return entityManagers.unwrap(SessionFactoryImplementor.class);
    }
}
