package io.sagaspring.fence;

import io.sagaspring.jdbc.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the library's own transactions on the current thread: they cannot write, and the server cancels each statement
 * that takes too long. Each statement is planned for its values, because a plan for any values might read a whole table
 * if the values are rare. A table is read as a whole only if it has no suitable index. The statements are not compiled,
 * because that takes longer than they do. The limit ends with the transaction, so the pool gets an unchanged connection back.
 *
 * @since 0.1.0
 */
public final class ReadLimit {

    private static final Sql LIMIT = Sql.named("read.limit", """
            SELECT pg_catalog.set_config('transaction_read_only', 'on', true) AS read_only,
                pg_catalog.set_config('statement_timeout', :timeout, true) AS statement_timeout,
                pg_catalog.set_config('plan_cache_mode', 'force_custom_plan', true) AS plan_cache_mode,
                pg_catalog.set_config('enable_seqscan', 'off', true) AS enable_seqscan,
                pg_catalog.set_config('jit', 'off', true) AS jit""");

    private static final ThreadLocal<@Nullable Duration> current = new ThreadLocal<>();

    private ReadLimit() {}

    /**
     * Reads within a limit.
     *
     * @param timeout the longest time of each statement, at least 1 ms
     * @param reading the code that reads
     * @param <T> the type of the result
     * @return the result of the code
     */
    public static <T extends @Nullable Object> T within(Duration timeout, Supplier<T> reading) {
        Duration before = current.get();
        current.set(timeout);
        try {
            return reading.get();
        } finally {
            if (before == null) {
                current.remove();
            } else {
                current.set(before);
            }
        }
    }

    /**
     * Returns a function that has the limit of the current thread on every thread.
     *
     * @param reading the function that reads
     * @param <A> the type of the argument
     * @param <T> the type of the result
     * @return a function with the same result
     */
    public static <A, T> Function<A, T> carried(Function<A, T> reading) {
        Duration limit = current.get();
        return limit == null ? reading : argument -> within(limit, () -> reading.apply(argument));
    }

    static <T extends @Nullable Object> T apply(Connection connection, OwnTransactions.Work<T> work)
            throws SQLException {
        Duration limit = current.get();
        return limit == null ? work.on(connection) : limited(connection, limit, work);
    }

    private static <T extends @Nullable Object> T limited(
            Connection connection, Duration limit, OwnTransactions.Work<T> work) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        T found;
        try {
            boolean unused = LIMIT.on(connection)
                    .with("timeout", Long.toString(limit.toMillis()))
                    .finds();
            found = work.on(connection);
            connection.commit();
        } catch (Throwable failed) {
            // If a reply may be unread, send nothing more on this connection.
            if (!OutOfStep.mayFollow(failed)) {
                end(connection, autoCommit, failed);
            }
            throw failed;
        }
        connection.setAutoCommit(autoCommit);
        return found;
    }

    private static void end(Connection connection, boolean autoCommit, Throwable failed) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException unusable) {
            failed.addSuppressed(unusable);
        }
    }
}
