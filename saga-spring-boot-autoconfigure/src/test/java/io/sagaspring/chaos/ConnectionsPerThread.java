package io.sagaspring.chaos;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Records the largest number of pool connections that one thread has held at a time. */
final class ConnectionsPerThread implements BeanPostProcessor {

    private final ThreadLocal<AtomicInteger> open = ThreadLocal.withInitial(AtomicInteger::new);
    private final AtomicInteger most = new AtomicInteger();

    int most() {
        return most.get();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource pool && name.equals("dataSource") ? counted(pool) : bean;
    }

    private DataSource counted(DataSource pool) {
        return new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                AtomicInteger ofThisThread = open.get();
                Connection connection = super.getConnection();
                most.accumulateAndGet(ofThisThread.incrementAndGet(), Math::max);
                return counted(connection, ofThisThread);
            }
        };
    }

    private static Connection counted(Connection connection, AtomicInteger ofItsThread) {
        return (Connection) Proxy.newProxyInstance(
                ConnectionsPerThread.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        ofItsThread.decrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getTargetException();
                    }
                });
    }
}
