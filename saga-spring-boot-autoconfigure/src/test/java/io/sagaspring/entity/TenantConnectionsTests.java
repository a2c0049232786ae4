package io.sagaspring.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A connection comes from the provider for the current tenant, and is released to the provider for the same tenant. */
class TenantConnectionsTests {

    private final List<String> calls = new ArrayList<>();
    private String current = "a";

    /** Opens connections on which every call except {@code close} fails. */
    private final TenantConnections connections = new TenantConnections(this::provider, () -> current);

    @SuppressWarnings("unchecked")
    private MultiTenantConnectionProvider<Object> provider() {
        return stub(MultiTenantConnectionProvider.class, (method, arguments) -> {
            calls.add("%s %s".formatted(method, arguments[0]));
            return method.equals("getConnection") ? connection() : null;
        });
    }

    private static Connection connection() {
        return stub(Connection.class, (method, arguments) -> {
            throw new SQLException("%s failed".formatted(method));
        });
    }

    @FunctionalInterface
    private interface Call {
        @Nullable
        Object of(String method, Object[] arguments) throws Throwable;
    }

    private static <T> T stub(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                TenantConnectionsTests.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.of(method.getName(), arguments)));
    }

    @Test
    void aConnectionClosedTwiceIsReleasedOnceForItsOriginalTenant() throws SQLException {
        Connection connection = connections.getConnection();
        current = "b";

        connection.close();
        connection.close();

        assertThat(calls).containsExactly("getConnection a", "releaseConnection a");
    }

    @Test
    void anExceptionFromTheConnectionReachesTheCallerUnchanged() throws SQLException {
        try (Connection connection = connections.getConnection()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(connection::commit)
                    .withMessage("commit failed");
        }
    }
}
