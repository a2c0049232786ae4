package io.sagaspring.dashboard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Records the statements that the threads of the web server send, with the values of their parameters. */
final class SentStatements implements BeanPostProcessor {

    private static final String REQUESTS = "http-nio";

    /** The latest text of each statement, by its text without values. */
    private final Map<String, String> recorded = new LinkedHashMap<>();

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource dataSource ? new Recorded(dataSource) : bean;
    }

    private final class Recorded extends DelegatingDataSource {

        Recorded(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return Thread.currentThread().getName().startsWith(REQUESTS) ? recorded(connection) : connection;
        }
    }

    private Connection recorded(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("createArrayOf")) {
                        // The driver sends an array of objects as text. An array of strings would not be readable.
                        Object[] elements = (Object[]) arguments[1];
                        arguments[1] = Arrays.copyOf(elements, elements.length, Object[].class);
                    }
                    try {
                        Object result = method.invoke(connection, arguments);
                        return result instanceof PreparedStatement statement
                                ? recorded(String.valueOf(arguments[0]), statement, proxy)
                                : result;
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private PreparedStatement recorded(String text, PreparedStatement statement, Object owner) {
        return (PreparedStatement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        return owner;
                    }
                    if (method.getName().startsWith("execute")) {
                        add(text, statement.toString());
                    }
                    try {
                        return method.invoke(statement, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private synchronized void add(String text, String filled) {
        String wrapping = " wrapping ";
        int start = filled.indexOf(wrapping);
        recorded.put(text, start < 0 ? filled : filled.substring(start + wrapping.length()));
    }

    /** Returns the statements since the last call. */
    synchronized Collection<String> take() {
        Collection<String> taken = List.copyOf(recorded.values());
        recorded.clear();
        return taken;
    }
}
