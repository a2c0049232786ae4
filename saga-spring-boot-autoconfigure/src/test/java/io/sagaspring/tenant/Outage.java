package io.sagaspring.tenant;

import io.sagaspring.test.database.TestDatabase;
import java.util.Objects;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Makes a database refuse connections until this object is closed. The constructor breaks the open connections. */
final class Outage implements AutoCloseable {

    private final JdbcClient server;
    private final String database;

    Outage(TestDatabase down, TestDatabase other) {
        this.database = Objects.requireNonNull(JdbcClient.create(down.dataSource())
                .sql("SELECT current_database()")
                .query(String.class)
                .single());
        this.server = JdbcClient.create(other.dataSource());
        allow(false);
        server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?")
                .param(database)
                .query()
                .listOfRows();
    }

    private void allow(boolean connections) {
        server.sql("ALTER DATABASE \"%s\" ALLOW_CONNECTIONS %s".formatted(database, connections))
                .update();
    }

    void end() {
        allow(true);
    }

    @Override
    public void close() {
        end();
    }
}
