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
 * Lends a connection, in a transaction of the library, to the application's code for one call. The code can neither end
 * the transaction nor keep the connection. Until the code returns, the library runs no other transaction on the thread.
 * A second transaction might wait forever for a lock of the first one. On the same connection, a second transaction
 * might commit the first one.
 *
 * @since 0.1.0
 */
public final class LentConnection {

    private static final Object MARK = LentConnection.class;

    private static final Set<String> ENDING =
            Set.of("commit", "rollback", "setAutoCommit", "abort", "setTransactionIsolation", "setReadOnly");

    private LentConnection() {}

    /**
     * Lends a connection to the application's code.
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
     * Requires that no code on this thread has borrowed a connection.
     *
     * @throws IllegalStateException if the thread is executing code within a transaction of the library
     */
    static void requireNone() {
        if (TransactionSynchronizationManager.hasResource(MARK)) {
            throw new IllegalStateException(
                    "A FlipListener called the library inside the transaction of a flip, and the call could wait for that transaction forever. Use only the connection that the listener was given, and call the library after the flip.");
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
                                "A FlipListener used the connection of a flip after its call had ended. Use the connection only during the call.");
                    }
                    // A rollback with an argument goes back to a savepoint, which is allowed.
                    if (ENDING.contains(name) && !(name.equals("rollback") && arguments != null)) {
                        throw new SQLException(
                                "A FlipListener called %s() on the connection of a flip, but only the library may end this transaction. Throw an exception to roll the flip back."
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
