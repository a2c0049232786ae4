package io.sagaspring.test.database;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A database for tests, which is dropped when it is closed.
 *
 * <pre>{@code
 * @AutoClose
 * static final TestDatabase database = TestDatabase.create();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class TestDatabase implements JdbcConnectionDetails, AutoCloseable {

    private final PostgresServer server;
    private final String name;

    TestDatabase(PostgresServer server, String name) {
        this.server = server;
        this.name = name;
    }

    /**
     * Creates an empty database.
     *
     * @return the new database
     */
    public static TestDatabase create() {
        return create(DatabaseTemplate.Empty.class);
    }

    /**
     * Creates a database as a clone of a template.
     *
     * @param template the class of the template
     * @return the new database
     */
    public static TestDatabase create(Class<? extends DatabaseTemplate> template) {
        return PostgresServer.shared().createDatabase(template);
    }

    /**
     * Creates a data source that opens a new connection at each call. The data source has no pool, so no caller waits
     * for a connection.
     *
     * @return a new data source of this database
     */
    public DataSource dataSource() {
        return server.connectTo(name);
    }

    @Override
    public String getJdbcUrl() {
        return server.connectTo(name).getUrl();
    }

    @Override
    public @Nullable String getUsername() {
        return server.connectTo(name).getUser();
    }

    @Override
    public @Nullable String getPassword() {
        return server.connectTo(name).getPassword();
    }

    /** Drops the database, and closes the connections that a test has left open. */
    @Override
    public void close() {
        server.dropDatabase(name);
    }

    @Override
    public String toString() {
        return "%s on %s".formatted(name, server);
    }
}
