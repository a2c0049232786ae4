package io.sagaspring.fence;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connection of a transaction of ours, as foreign code gets it for the time of one call. The code can neither end the transaction
 * nor keep the connection. Until it returns, the library runs no other transaction on the thread: that one might wait for a lock of the
 * first one for ever, or commit the first one if it shares the connection.
 *
 * @since 0.1.0
 */
public final class LentConnection {

    private static final Object MARK = LentConnection.class;

    private static final Set<String> ENDING =
            Set.of("commit", "rollback", "setAutoCommit", "abort", "setTransactionIsolation", "setReadOnly");

    private LentConnection() {}

    /**
     * Lends a connection to foreign code.
     *
     * @param connection the connection, in a transaction
     * @param work the code, which gets a connection that cannot end the transaction
     * @param <T> the type of the result
     * @return the result of the code
     * @throws SQLException if the code throws it
     */
    public static <T extends @Nullable Object> T during(Connection connection, OwnTransactions.Work<T> work)
            throws SQLException {
        AtomicBoolean lent = new AtomicBoolean(true);
        TransactionSynchronizationManager.bindResource(MARK, MARK);
        try {
            return work.on(lent(connection, lent));
        } finally {
            TransactionSynchronizationManager.unbindResource(MARK);
            lent.set(false);
        }
    }

    /**
     * Requires that the thread's code has not borrowed a connection.
     *
     * @throws IllegalStateException if the code runs within a transaction of the library
     */
    static void requireNone() {
        if (TransactionSynchronizationManager.hasResource(MARK)) {
            throw new IllegalStateException(
                    "A FlipListener called the library inside the transaction of a flip, and the call could wait for that transaction for ever. Use only the connection that the listener was given, and call the library after the flip.");
        }
    }

    private static Connection lent(Connection connection, AtomicBoolean lent) {
        return (Connection) Proxy.newProxyInstance(
                LentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    String name = method.getName();
                    if (name.equals("close")) {
                        return null;
                    }
                    if (!lent.get()) {
                        throw new SQLException(
                                "A FlipListener used its connection after it had returned. Use the connection only during the call.");
                    }
                    // Only a rollback to a savepoint has an argument, and that one is allowed.
                    if (ENDING.contains(name) && !(name.equals("rollback") && arguments != null)) {
                        throw new SQLException(
                                "A FlipListener called %s() on the connection of a flip, whose transaction the library ends. Throw an exception to roll the flip back."
                                        .formatted(name));
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }
}
