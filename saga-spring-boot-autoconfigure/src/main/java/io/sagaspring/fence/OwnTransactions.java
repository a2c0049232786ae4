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
 * Transactions in which no foreign code runs: READ COMMITTED whatever the application prefers, short, and repeated a
 * bounded number of times where the database rolled them back for the sake of another one.
 *
 * @since 0.1.0
 */
public final class OwnTransactions {

    private static final Logger logger = LoggerFactory.getLogger(OwnTransactions.class);

    private static final Sql STATUS = Sql.named("transaction.status", """
            SELECT pg_catalog.pg_xact_status(:transaction::pg_catalog.xid8) AS status, pg_catalog.pg_sleep(0.02)""");

    private static final int TRIES = 10;

    /** How long a commit whose acknowledgement was lost may still be under way before we give up asking. */
    private static final Duration STILL_COMMITTING = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    /** What connections come with, asked once: asking costs a round trip. */
    private volatile @Nullable Integer preferredIsolation;

    /**
     * Transactions on connections of this data source.
     *
     * @param dataSource where the connections come from
     */
    public OwnTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * What runs inside.
     *
     * @param <T> what it finds
     */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {

        /**
         * Executes statements.
         *
         * @param connection the connection of the transaction
         * @return what they found
         * @throws SQLException if one fails
         */
        T on(Connection connection) throws SQLException;
    }

    /**
     * Runs one statement that commits by itself, in one round trip where the connection is in auto-commit mode.
     *
     * @param statement executes exactly one statement
     * @param <T> what it finds
     * @return what it found
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
     * Runs one statement that does no harm when it is said again: after a lost answer that is all there is to do.
     *
     * @param what what it does, as the subject of a sentence
     * @param statement executes exactly one statement
     * @param <T> what it finds
     * @return what it found
     * @throws OutcomeUnknownException if every answer was lost
     */
    public <T extends @Nullable Object> T repeatable(Supplier<String> what, Work<T> statement) {
        return LostAnswers.settled(what, inDoubt -> single(statement));
    }

    /**
     * Runs one statement that inserts what must be there once. After a lost answer it is sent again, and finds what is there.
     *
     * @param what what it does, as the subject of a sentence
     * @param statement executes exactly one statement
     * @param <T> what it finds
     * @return what it found
     * @throws OutcomeUnknownException if every answer was lost
     */
    public <T extends @Nullable Object> T adding(Supplier<String> what, Adding<T> statement) {
        return LostAnswers.settled(what, inDoubt -> {
            try {
                return single(connection -> statement.on(connection, false));
            } catch (DuplicateKeyException written) {
                return single(connection -> statement.on(connection, true));
            }
        });
    }

    /**
     * Inserts what must be there once.
     *
     * @param <T> what it finds
     */
    @FunctionalInterface
    public interface Adding<T extends @Nullable Object> {

        /**
         * Executes one statement.
         *
         * @param connection the connection of the transaction
         * @param again whether it was there: the statement is not to fail for that
         * @return what it found
         * @throws SQLException if it fails
         */
        T on(Connection connection, boolean again) throws SQLException;
    }

    /**
     * Runs several statements and commits them together.
     *
     * @param statements executes them
     * @param <T> what they find
     * @return what they found
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
                // Where an answer may be unread, nothing more is asked on this connection.
                if (autoCommit && !OutOfStep.mayFollow(failed)) {
                    inAutoCommitAgain(connection);
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
     * Runs several statements and commits them together; if the commit's acknowledgement is lost, the database is asked.
     *
     * @param what what they do, as the subject of a sentence
     * @param statements execute them, and tell the transaction's number
     * @param <T> what they find
     * @return what they found, committed
     * @throws OutcomeUnknownException if the acknowledgement is lost, and the database cannot be asked
     */
    public <T extends @Nullable Object> T decided(String what, Work<Decided<T>> statements) {
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
            if (hasCommitted(decided.transaction(), what, failed)) {
                return decided.value();
            }
            throw failed;
        }
    }

    /**
     * What statements have found, and how to ask whether their transaction was committed.
     *
     * @param value what they found
     * @param transaction the transaction's number, or null where it has written nothing
     * @param <T> what they found
     */
    public record Decided<T extends @Nullable Object>(
            T value, @Nullable String transaction) {}

    /**
     * Whether connections come in READ COMMITTED already.
     *
     * @return whether a transaction needs no isolation level of its own
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
     * @param transaction the transaction's number, read in it before its commit
     * @param what what it did, as the subject of a sentence
     * @param failure what broke
     * @return whether it took place
     * @throws OutcomeUnknownException if the database cannot be asked
     */
    public boolean hasCommitted(String transaction, String what, Throwable failure) {
        try {
            long giveUp = System.nanoTime() + STILL_COMMITTING.toNanos();
            while (true) {
                String status = status(transaction);
                if (status == null || (status.equals("in progress") && System.nanoTime() > giveUp)) {
                    throw new OutcomeUnknownException(what, failure);
                }
                if (!status.equals("in progress")) {
                    return status.equals("committed");
                }
            }
        } catch (DataAccessException unreachable) {
            failure.addSuppressed(unreachable);
            throw new OutcomeUnknownException(what, failure);
        }
    }

    private @Nullable String status(String transaction) {
        // The server answers while it waits, so that asking again is no busy loop.
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
        // Not through DataSourceUtils: where a scope without a transaction is open, it would keep the connection.
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
        boolean other = before != Connection.TRANSACTION_READ_COMMITTED;
        if (other) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        T found;
        try {
            found = work.on(connection);
        } catch (Throwable failed) {
            if (!OutOfStep.mayFollow(failed)) {
                endWhatIsOpen(connection, failed);
                if (other && !connection.isClosed()) {
                    connection.setTransactionIsolation(before);
                }
            }
            throw failed;
        }
        if (other && !connection.isClosed()) {
            connection.setTransactionIsolation(before);
        }
        return found;
    }

    /** Ignores a failure to give the connection back: the statement was executed. */
    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException failed) {
            logger.debug("A connection could not be given back", failed);
        }
    }

    private Connection open() {
        try {
            return dataSource.getConnection();
        } catch (SQLException failed) {
            throw new CannotGetJdbcConnectionException("Saga got no connection", failed);
        }
    }

    private DataAccessException translated(SQLException failed) {
        DataAccessException translated = translator.translate("a statement of saga", null, failed);
        return translated == null ? new UncategorizedSQLException("a statement of saga", null, failed) : translated;
    }

    private int isolationOf(Connection connection) throws SQLException {
        Integer known = preferredIsolation;
        if (known == null) {
            known = connection.getTransactionIsolation();
            endWhatIsOpen(connection);
            preferredIsolation = known;
        }
        return known;
    }

    private static void endWhatIsOpen(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    private static void inAutoCommitAgain(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            endWhatIsOpen(connection);
            connection.setAutoCommit(true);
        }
    }

    private static void endWhatIsOpen(Connection connection, Throwable failed) {
        try {
            endWhatIsOpen(connection);
        } catch (SQLException alsoFailed) {
            failed.addSuppressed(alsoFailed);
        }
    }
}
