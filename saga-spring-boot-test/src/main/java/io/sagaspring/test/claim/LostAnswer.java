package io.sagaspring.test.claim;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A data source whose connection breaks once, after the server has executed the statement with the given name. */
final class LostAnswer extends DelegatingDataSource {

    private final String name;
    private final AtomicBoolean lost = new AtomicBoolean();

    LostAnswer(DataSource dataSource, String name) {
        super(dataSource);
        this.name = name;
    }

    /** Returns true if an answer was lost. */
    boolean happened() {
        return lost.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return proxy(Connection.class, (proxy, method, arguments) -> {
            Object result = invoke(connection, method, arguments);
            return result instanceof PreparedStatement statement
                            && String.valueOf(arguments[0]).contains("saga:" + name)
                    ? breaking(connection, statement)
                    : result;
        });
    }

    private PreparedStatement breaking(Connection connection, PreparedStatement statement) {
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
            Object result = invoke(statement, method, arguments);
            if (method.getName().startsWith("execute") && lost.compareAndSet(false, true)) {
                connection.abort(Runnable::run);
                throw new SQLException("The connection broke before the server's reply arrived.", "08006");
            }
            return result;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(LostAnswer.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getTargetException();
        }
    }
}
