package io.sagaspring.test.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanUtils;

/** The server that all tests of this JVM share, and the databases on it. */
final class PostgresServer {

    private static final Logger logger = LoggerFactory.getLogger(PostgresServer.class);

    /** A task rather than a lazy field: it remembers a failure too, so that every test fails alike and at once. */
    private static final FutureTask<PostgresServer> shared =
            new FutureTask<>(() -> ServerSource.firstOf(TestSettings.ofThisJvm()));

    private final String origin;
    private final String url;
    private final @Nullable String username;
    private final @Nullable String password;
    private final Map<Class<? extends DatabaseTemplate>, String> templates = new ConcurrentHashMap<>();

    PostgresServer(String origin, String url, @Nullable String username, @Nullable String password) {
        this.origin = origin;
        this.url = url;
        this.username = username;
        this.password = password;
    }

    static PostgresServer shared() {
        shared.run();
        try {
            return shared.get();
        } catch (ExecutionException failed) {
            throw new NoDatabaseException(Objects.requireNonNull(failed.getCause()));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new NoDatabaseException(interrupted);
        }
    }

    TestDatabase createDatabase(Class<? extends DatabaseTemplate> template) {
        String name = newName("saga_test_");
        execute("CREATE DATABASE %s TEMPLATE %s".formatted(name, templates.computeIfAbsent(template, this::fill)));
        logger.debug("Created database {} on {}", name, origin);
        return new TestDatabase(this, name);
    }

    void dropDatabase(String name) {
        execute("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(name));
    }

    int majorVersion() throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            return connection.getMetaData().getDatabaseMajorVersion();
        }
    }

    PGSimpleDataSource connectTo(String database) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setDatabaseName(database);
        return dataSource;
    }

    @Nullable
    String username() {
        return username;
    }

    @Nullable
    String password() {
        return password;
    }

    @Override
    public String toString() {
        return origin;
    }

    private String fill(Class<? extends DatabaseTemplate> template) {
        String name = newName("saga_template_");
        // Of template0, because a connection to template1 from anywhere would make the clone fail.
        execute("CREATE DATABASE %s TEMPLATE template0".formatted(name));
        try {
            BeanUtils.instantiateClass(template).fill(connectTo(name));
        } catch (Exception failed) {
            dropDatabase(name);
            throw new IllegalStateException(
                    "%s could not fill the template database on %s".formatted(template.getName(), origin), failed);
        }
        execute("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(name));
        return name;
    }

    private static String newName(String prefix) {
        return prefix + UUID.randomUUID().toString().replace("-", "");
    }

    private void execute(String sql) {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failed) {
            throw new IllegalStateException(
                    "%s refused \"%s\". The role '%s' must be allowed to create databases."
                            .formatted(origin, sql, username),
                    failed);
        }
    }

    private PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(url);
        dataSource.setUser(username);
        dataSource.setPassword(password);
        return dataSource;
    }
}
