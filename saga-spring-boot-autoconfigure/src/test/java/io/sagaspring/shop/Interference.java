package io.sagaspring.shop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Wraps the application's pool, and lets a test interfere before or after a statement. A commit and a rollback are
 * statements, too: {@code COMMIT} and {@code ROLLBACK}.
 */
public final class Interference implements BeanPostProcessor {

    /** Is called around statements, on the thread that executes them. */
    public interface Around {

        /**
         * Is called before a connection is taken from the pool. If this method throws an exception, it simulates a pool
         * without a free connection.
         */
        default void opening() throws SQLException {}

        /** Returns the statement that is sent instead of the given statement. */
        default String sent(String sql) {
            return sql;
        }

        /** Is called before the statement is sent. If this method throws an exception, the statement is not sent. */
        default void before(String sql, Connection connection) throws SQLException {}

        /**
         * Is called after the statement was executed. If this method throws an exception, the caller gets no
         * acknowledgement.
         */
        default void after(String sql, Connection connection) throws SQLException {}
    }

    /** Returns the exception with which PostgreSQL's driver reports a lost connection. */
    public static SQLException connectionLost() {
        return new SQLException("An I/O error occurred while sending to the backend.", "08006");
    }

    private volatile Around around = new Around() {};
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    public void with(Around replacement) {
        around = replacement;
    }

    public void none() {
        around = new Around() {};
    }

    /** Parks the first thread that reaches a statement with this text, before the statement is sent. */
    public Parked park(String text) {
        return park(sql -> sql.contains(text), false);
    }

    public Parked parkAfter(String text) {
        return park(sql -> sql.contains(text), true);
    }

    public Parked park(Predicate<String> statement, boolean after) {
        Parked parked = new Parked(statement, after);
        around = parked;
        return parked;
    }

    /** Makes one thread wait at a statement until {@link #letGo} is called. */
    public static final class Parked implements Around {

        private final Predicate<String> statement;
        private final boolean after;
        private final AtomicInteger met = new AtomicInteger();
        private final CountDownLatch arrived = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        Parked(Predicate<String> statement, boolean after) {
            this.statement = statement;
            this.after = after;
        }

        @Override
        public void before(String sql, Connection connection) throws SQLException {
            if (!after) {
                stop(sql);
            }
        }

        @Override
        public void after(String sql, Connection connection) throws SQLException {
            if (after) {
                stop(sql);
            }
        }

        private void stop(String sql) throws SQLException {
            if (statement.test(sql) && met.getAndIncrement() == 0) {
                arrived.countDown();
                try {
                    if (!released.await(60, TimeUnit.SECONDS)) {
                        throw new SQLException("The test did not call letGo() for the statement: " + sql);
                    }
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new SQLException("Interrupted at " + sql, interrupted);
                }
            }
        }

        /** Waits until a thread has reached the statement. */
        public void awaitArrival() throws InterruptedException {
            if (!arrived.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("No thread reached the statement.");
            }
        }

        public void letGo() {
            released.countDown();
        }
    }

    /** Returns the largest number of connections that were in use at the same time. */
    public int mostConnectionsAtOnce() {
        return most.get();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource pool && name.equals("dataSource") ? watched(pool) : bean;
    }

    public DataSource watched(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                around.opening();
                Connection connection = super.getConnection();
                most.accumulateAndGet(open.incrementAndGet(), Math::max);
                return watched(connection);
            }
        };
    }

    private Connection watched(Connection connection) {
        return (Connection) proxy(Connection.class, (method, arguments) -> {
            switch (method.getName()) {
                case "commit" -> {
                    return around("COMMIT", connection, () -> method.invoke(connection, arguments));
                }
                case "rollback" -> {
                    return around("ROLLBACK", connection, () -> method.invoke(connection, arguments));
                }
                case "close" -> {
                    open.decrementAndGet();
                    return method.invoke(connection, arguments);
                }
                case "prepareStatement" -> {
                    arguments[0] = around.sent((String) arguments[0]);
                    return watched(
                            PreparedStatement.class,
                            (PreparedStatement) method.invoke(connection, arguments),
                            (String) arguments[0],
                            connection);
                }
                case "createStatement" -> {
                    return watched(Statement.class, (Statement) method.invoke(connection, arguments), null, connection);
                }
                default -> {
                    return method.invoke(connection, arguments);
                }
            }
        });
    }

    private Object watched(Class<?> type, Statement statement, @Nullable String prepared, Connection connection) {
        return proxy(type, (method, arguments) -> {
            if (!method.getName().startsWith("execute")) {
                return method.invoke(statement, arguments);
            }
            String sql = prepared != null ? prepared : String.valueOf(arguments == null ? null : arguments[0]);
            return around(sql, connection, () -> method.invoke(statement, arguments));
        });
    }

    private interface Call {
        @Nullable
        Object go() throws ReflectiveOperationException;
    }

    private @Nullable Object around(String sql, Connection connection, Call call)
            throws SQLException, ReflectiveOperationException {
        Around current = around;
        current.before(sql, connection);
        Object result = call.go();
        current.after(sql, connection);
        return result;
    }

    private interface Invocation {
        @Nullable
        Object invoke(java.lang.reflect.Method method, Object[] arguments)
                throws SQLException, ReflectiveOperationException;
    }

    private static Object proxy(Class<?> type, Invocation invocation) {
        return Proxy.newProxyInstance(
                Interference.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return invocation.invoke(method, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }
}
