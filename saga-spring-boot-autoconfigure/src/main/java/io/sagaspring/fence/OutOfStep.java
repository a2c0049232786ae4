package io.sagaspring.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Keeps a connection from being used again when it may be out of step with its server. A {@code StackOverflowError} in the
 * middle of a statement leaves an answer unread: the next statement on that connection would take it for its own.
 *
 * @since 0.1.0
 */
public final class OutOfStep {

    private static final Logger logger = LoggerFactory.getLogger(OutOfStep.class);

    /** Exceptions of ours are thrown between two statements. */
    private static final String OURS = "io.sagaspring.";

    private OutOfStep() {}

    /**
     * Runs statements, and aborts their connection if what they throw may have come from the middle of one.
     *
     * @param connection the connection
     * @param statements execute on it
     * @param <T> the type of the result
     * @return what they found
     * @throws SQLException if one fails
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
     * Tells whether a connection may be out of step after what a statement of ours has thrown.
     *
     * @param thrown what was thrown
     * @return false for what drivers and this library throw on purpose
     */
    public static boolean mayFollow(Throwable thrown) {
        return !(thrown instanceof SQLException || thrown instanceof DataAccessException)
                && !thrown.getClass().getName().startsWith(OURS);
    }

    /**
     * Tells whether a connection may be out of step after what foreign code in its transaction has thrown. A stack or a memory
     * that ends does so anywhere, and that may be within a statement. Other errors are taken for the code's own.
     *
     * @param thrown what was thrown
     * @return whether the connection is to be aborted rather than rolled back
     */
    public static boolean mayFollowForeign(Throwable thrown) {
        return thrown instanceof VirtualMachineError;
    }

    /**
     * Closes a connection to the server for good. What was not committed on it is rolled back by the server, and a pool does
     * not lend it again.
     *
     * @param connection the connection
     */
    public static void abort(Connection connection) {
        try {
            abortHere(connection);
        } catch (Throwable failed) {
            // There may be too little stack left. Another thread has all of its own.
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
        // A pool learns from a statement that fails, and lends the connection again if none does.
        try (Statement unexpected = connection.createStatement()) {
            logger.debug("A connection goes on after it was aborted: {}", unexpected);
        } catch (SQLException expected) {
            logger.debug("A connection that may have been out of step with its server was aborted", expected);
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
