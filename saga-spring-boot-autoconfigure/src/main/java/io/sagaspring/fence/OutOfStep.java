package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Aborts connections that may be out of step with their server. For example, a {@code StackOverflowError} in the middle of a statement
 * leaves a reply unread. The next statement on that connection would read that reply as its own.
 *
 * @since 0.1.0
 */
public final class OutOfStep {

    private static final Logger logger = LoggerFactory.getLogger(OutOfStep.class);

    /** The package prefix of the library's own exceptions, which are thrown only between two statements. */
    private static final String OWN_PACKAGES = "io.sagaspring.";

    private OutOfStep() {}

    /**
     * Runs statements, and aborts their connection if they throw something that may have occurred in the middle of a statement.
     *
     * @param connection the connection
     * @param statements the code that executes the statements on the connection
     * @param <T> the type of the result
     * @return the result of the statements
     * @throws SQLException if a statement fails
     */
    public static <T extends @Nullable Object> T guarded(Connection connection, OwnTransactions.Work<T> statements)
            throws SQLException {
        try {
            return statements.on(connection);
        } catch (Throwable thrown) {
            if (mayFollow(thrown)) {
                abort(connection);
            }
            throw thrown;
        }
    }

    /**
     * Returns true if a connection may be out of step after a statement of the library has thrown an exception or
     * error.
     *
     * @param thrown the exception or error
     * @return false for exceptions that drivers and this library throw intentionally
     */
    public static boolean mayFollow(Throwable thrown) {
        return !(thrown instanceof SQLException || thrown instanceof DataAccessException)
                && !thrown.getClass().getName().startsWith(OWN_PACKAGES);
    }

    /**
     * Returns true if a connection may be out of step after the application's code has thrown an exception or error in
     * a transaction on that connection. A stack overflow or a lack of memory can occur anywhere, even within a
     * statement. Other errors are attributed to the code itself.
     *
     * @param thrown the exception or error
     * @return true if the connection must be aborted instead of rolled back
     */
    public static boolean mayFollowForeign(Throwable thrown) {
        return thrown instanceof VirtualMachineError;
    }

    /**
     * Closes a connection to the server permanently. The server rolls back the connection's open transaction, and a
     * pool does not lend the connection again.
     *
     * @param connection the connection
     */
    public static void abort(Connection connection) {
        try {
            abortHere(connection);
        } catch (Throwable failed) {
            // This thread may have too little stack left. Another thread starts with an empty stack.
            Thread other = new Thread(() -> abortHere(connection), "saga-abort");
            other.setDaemon(true);
            other.start();
            awaitUninterruptibly(other);
        }
    }

    private static void abortHere(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException gone) {
            logger.debug("A connection could not be aborted", gone);
        }
        // A pool notices the abort only when a statement fails. Without this statement, the pool would lend the
        // connection again.
        try (Statement unexpected = connection.createStatement()) {
            logger.debug("A connection still works after it was aborted: {}", unexpected);
        } catch (SQLException expected) {
            logger.debug("Aborted a connection that may hold the reply to an earlier statement", expected);
        }
    }

    private static void awaitUninterruptibly(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
