package io.sagaspring.fence;

import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * Runs short transactions of the library's own statements. They are READ COMMITTED, whatever the application's default
 * is. If the database rolls back a transaction because of a deadlock or a serialization failure, the transaction is
 * repeated a limited number of times.
 *
 * @since 0.1.0
 */
public final class OwnTransactions {

    private static final Logger logger = LoggerFactory.getLogger(OwnTransactions.class);

    private static final Sql STATUS = Sql.named("transaction.status", """
            SELECT pg_catalog.pg_xact_status(:transaction::pg_catalog.xid8) AS status, pg_catalog.pg_sleep(0.02)""");

    private static final int TRIES = 10;

    /** The longest time to keep asking about a commit that is still in progress. */
    private static final Duration STILL_COMMITTING = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final JoinGuard guard;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /** The isolation level of new connections, read only once because reading it costs a round trip. */
    private volatile @Nullable Integer preferredIsolation;

    /**
     * Creates transactions on connections of a data source.
     *
     * @param dataSource the source of the connections
     */
    public OwnTransactions(DataSource dataSource) {
        this(dataSource, JoinGuard.NONE);
    }

    /**
     * Creates transactions on connections of a data source.
     *
     * @param dataSource the source of the connections
     * @param guard the guard that recognizes transactions of another database
     */
    public OwnTransactions(DataSource dataSource, JoinGuard guard) {
        this.dataSource = dataSource;
        this.guard = guard;
    }

    /** {@return the guard that recognizes transactions of another database} */
    public JoinGuard guard() {
        return guard;
    }

    /**
     * The work of a transaction.
     *
     * @param <T> the type of the result
     */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {

        /**
         * Executes the statements.
         *
         * @param connection the connection of the transaction
         * @return the result of the statements
         * @throws SQLException if a statement fails
         */
        T on(Connection connection) throws SQLException;
    }

    /**
     * Runs one statement and commits it, in one round trip if the connection is in auto-commit mode.
     *
     * @param statement the code that executes exactly one statement
     * @param <T> the type of the result
     * @return the result of the statement
     */
    public <T extends @Nullable Object> T single(Work<T> statement) {
        return repeated(connection -> {
            T found = statement.on(connection);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            return found;
        });
    }

    /**
     * Runs one statement that is safe to send again. The statement is sent again after a lost reply.
     *
     * @param operation the operation's name, with which the message of {@link OutcomeUnknownException} begins
     * @param statement the code that executes exactly one statement
     * @param <T> the type of the result
     * @return the result of the statement
     * @throws OutcomeUnknownException if a reply was lost and no later attempt succeeded
     */
    public <T extends @Nullable Object> T repeatable(Supplier<String> operation, Work<T> statement) {
        return LostAnswers.settled(operation, inDoubt -> single(statement));
    }

    /**
     * Runs one statement that inserts a row that must exist at most once. The statement is sent again after a lost
     * reply. If the row already exists, the statement's code is called again with {@code exists} = true.
     *
     * @param operation the operation's name, with which the message of {@link OutcomeUnknownException} begins
     * @param statement the code that executes exactly one statement
     * @param <T> the type of the result
     * @return the result of the statement
     * @throws OutcomeUnknownException if a reply was lost and no later attempt succeeded
     */
    public <T extends @Nullable Object> T adding(Supplier<String> operation, Adding<T> statement) {
        return LostAnswers.settled(operation, inDoubt -> {
            try {
                return single(connection -> statement.on(connection, false));
            } catch (DuplicateKeyException written) {
                return single(connection -> statement.on(connection, true));
            }
        });
    }

    /**
     * A statement that inserts a row that must exist at most once.
     *
     * @param <T> the type of the result
     */
    @FunctionalInterface
    public interface Adding<T extends @Nullable Object> {

        /**
         * Executes the statement.
         *
         * @param connection the connection of the transaction
         * @param exists true if the row already exists; the statement must then not fail because of that row
         * @return the result of the statement
         * @throws SQLException if the statement fails
         */
        T on(Connection connection, boolean exists) throws SQLException;
    }

    /**
     * Runs several statements and commits them together.
     *
     * @param statements the code that executes the statements
     * @param <T> the type of the result
     * @return the result of the statements
     */
    public <T extends @Nullable Object> T together(Work<T> statements) {
        return repeated(connection -> {
            boolean autoCommit = connection.getAutoCommit();
            if (autoCommit) {
                connection.setAutoCommit(false);
            }
            T found;
            try {
                found = statements.on(connection);
                connection.commit();
            } catch (Throwable failed) {
                // If a reply may be unread, send nothing more on this connection.
                if (autoCommit && !OutOfStep.mayFollow(failed)) {
                    restoreAutoCommit(connection);
                }
                throw failed;
            }
            if (autoCommit) {
                connection.setAutoCommit(true);
            }
            return found;
        });
    }

    /**
     * Runs several statements and commits them together. If the commit's acknowledgement is lost, asks the database
     * whether the commit took place.
     *
     * @param operation the operation's name, with which the message of {@link OutcomeUnknownException} begins
     * @param statements the code that executes the statements, and returns the transaction's id with the result
     * @param <T> the type of the result
     * @return the committed result
     * @throws OutcomeUnknownException if the acknowledgement is lost and the database cannot tell whether the commit
     *     took place
     */
    public <T extends @Nullable Object> T decided(String operation, Work<Decided<T>> statements) {
        AtomicReference<@Nullable Decided<T>> reached = new AtomicReference<>();
        try {
            return together(connection -> {
                        reached.set(null);
                        Decided<T> decided = statements.on(connection);
                        reached.set(decided);
                        return decided;
                    })
                    .value();
        } catch (DataAccessException failed) {
            Decided<T> decided = reached.get();
            if (decided == null || decided.transaction() == null || !LostAnswers.isLost(failed)) {
                throw failed;
            }
            if (hasCommitted(decided.transaction(), operation, failed)) {
                return decided.value();
            }
            throw failed;
        }
    }

    /**
     * The result of statements, with the id of their transaction. By this id, the database can tell whether the
     * transaction was committed.
     *
     * @param value the result
     * @param transaction the transaction's id, or null if the transaction has written nothing
     * @param <T> the type of the result
     */
    public record Decided<T extends @Nullable Object>(
            T value, @Nullable String transaction) {}

    /**
     * Returns true if READ COMMITTED is the isolation level of new connections.
     *
     * @return true if a transaction need not set its isolation level
     */
    public boolean areReadCommittedByDefault() {
        Integer isolation = preferredIsolation;
        if (isolation == null) {
            isolation = single(this::isolationOf);
        }
        return isolation == Connection.TRANSACTION_READ_COMMITTED;
    }

    /**
     * Asks the database about a commit whose acknowledgement was lost.
     *
     * @param transaction the transaction's id, read before its commit
     * @param operation the operation's name, with which the message of {@link OutcomeUnknownException} begins
     * @param failure the failure of the connection
     * @return true if the commit took place
     * @throws OutcomeUnknownException if the database cannot be asked, no longer knows the id, or is still committing
     *     after 5 s
     */
    public boolean hasCommitted(String transaction, String operation, Throwable failure) {
        try {
            long deadline = System.nanoTime() + STILL_COMMITTING.toNanos();
            while (true) {
                String status = status(transaction);
                if (status == null || (status.equals("in progress") && System.nanoTime() > deadline)) {
                    throw new OutcomeUnknownException(operation, failure);
                }
                if (!status.equals("in progress")) {
                    return status.equals("committed");
                }
            }
        } catch (DataAccessException unreachable) {
            failure.addSuppressed(unreachable);
            throw new OutcomeUnknownException(operation, failure);
        }
    }

    private @Nullable String status(String transaction) {
        // The statement sleeps on the server, so that asking repeatedly is not a busy loop.
        return single(connection -> STATUS.on(connection)
                .with("transaction", transaction)
                .first(row -> Optional.ofNullable(row.textOrNull("status")))
                .flatMap(status -> status)
                .orElse(null));
    }

    private <T extends @Nullable Object> T repeated(Work<T> work) {
        for (int tries = 1; ; tries++) {
            try {
                return once(work);
            } catch (DataAccessException failed) {
                if (tries == TRIES || !SqlStates.isRetryable(failed)) {
                    throw failed;
                }
            }
        }
    }

    private <T extends @Nullable Object> T once(Work<T> work) {
        LentConnection.requireNone();
        // Do not use DataSourceUtils here. In a synchronization scope without a transaction, DataSourceUtils would keep
        // the connection until the scope ends.
        Connection connection = open();
        boolean inStep = false;
        try {
            T found = readCommitted(connection, work);
            inStep = true;
            return found;
        } catch (SQLException failed) {
            inStep = true;
            throw translated(failed);
        } catch (RuntimeException failed) {
            inStep = !OutOfStep.mayFollow(failed);
            throw failed;
        } finally {
            if (!inStep) {
                OutOfStep.abort(connection);
            }
            close(connection);
        }
    }

    private <T extends @Nullable Object> T readCommitted(Connection connection, Work<T> work) throws SQLException {
        int before = isolationOf(connection);
        boolean differs = before != Connection.TRANSACTION_READ_COMMITTED;
        if (differs) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        T found;
        try {
            found = ReadLimit.apply(connection, work);
        } catch (Throwable failed) {
            if (!OutOfStep.mayFollow(failed)) {
                rollBack(connection, failed);
                if (differs && !connection.isClosed()) {
                    connection.setTransactionIsolation(before);
                }
            }
            throw failed;
        }
        if (differs && !connection.isClosed()) {
            connection.setTransactionIsolation(before);
        }
        return found;
    }

    /** Closes the connection. Ignores a failure, because the statement has already been executed. */
    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException failed) {
            logger.debug("A connection could not be returned to its pool", failed);
        }
    }

    private Connection open() {
        try {
            return dataSource.getConnection();
        } catch (SQLException failed) {
            throw new CannotGetJdbcConnectionException("Saga could not get a connection to the database", failed);
        }
    }

    private DataAccessException translated(SQLException failed) {
        DataAccessException translated = translator.translate("A statement of the Saga library failed", null, failed);
        return translated == null
                ? new UncategorizedSQLException("A statement of the Saga library failed", null, failed)
                : translated;
    }

    private int isolationOf(Connection connection) throws SQLException {
        Integer known = preferredIsolation;
        if (known == null) {
            known = connection.getTransactionIsolation();
            rollBack(connection);
            preferredIsolation = known;
        }
        return known;
    }

    /** Rolls back the transaction that may be open on a connection. */
    private static void rollBack(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    private static void restoreAutoCommit(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            rollBack(connection);
            connection.setAutoCommit(true);
        }
    }

    private static void rollBack(Connection connection, Throwable failed) {
        try {
            rollBack(connection);
        } catch (SQLException alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }
}
