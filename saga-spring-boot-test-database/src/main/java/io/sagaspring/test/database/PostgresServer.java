package io.sagaspring.test.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.SpringApplication;

/** The server that all tests of this JVM share, and its databases. */
final class PostgresServer {

    private static final Logger logger = LoggerFactory.getLogger(PostgresServer.class);
    /**
     * The system property with the driver properties for every connection of a test, in the form that they have in a
     * URL: {@code preferQueryMode=simple&...}.
     */
    private static final String OPTIONS = "saga.test.database.options";

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final Once<PostgresServer> shared = new Once<>(() -> ServerSource.firstOf(TestSettings.ofThisJvm()));

    private final String origin;
    private final String url;
    private final @Nullable String username;
    private final @Nullable String password;
    private final Map<Class<? extends DatabaseTemplate>, Once<String>> templates = new ConcurrentHashMap<>();
    private final Set<String> databases = ConcurrentHashMap.newKeySet();

    PostgresServer(String origin, String url, @Nullable String username, @Nullable String password) {
        this.origin = origin;
        this.url = url;
        this.username = username;
        this.password = password;
    }

    static PostgresServer shared() {
        return shared.get();
    }

    TestDatabase createDatabase(Class<? extends DatabaseTemplate> template) {
        String name = create("saga_test_", template(template));
        logger.debug("Created database {} on {}", name, origin);
        return new TestDatabase(this, name);
    }

    void dropDatabase(String name) {
        execute("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(name));
        databases.remove(name);
    }

    /** Drops the databases when this JVM ends, because the server may continue to run. */
    void dropDatabasesAtExit() {
        atExit(this::dropAllDatabases);
    }

    /**
     * Runs an action when this JVM ends, after Spring Boot has closed the contexts. A context whose database is gone
     * would wait for a connection until its pool gives up, which takes 30 s by default.
     */
    static void atExit(Runnable end) {
        SpringApplication.getShutdownHandlers().add(end);
    }

    void dropAllDatabases() {
        for (String name : databases) {
            try {
                dropDatabase(name);
            } catch (IllegalStateException failed) {
                logger.warn("A test database could not be dropped", failed);
            }
        }
    }

    int majorVersion() throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            return connection.getMetaData().getDatabaseMajorVersion();
        }
    }

    PGSimpleDataSource connectTo(String database) {
        PGSimpleDataSource dataSource = dataSource();
        dataSource.setDatabaseName(database);
        for (String option : System.getProperty(OPTIONS, "").split("&", -1)) {
            String[] parts = option.split("=", 2);
            if (parts.length == 2) {
                setProperty(dataSource, parts[0], parts[1]);
            }
        }
        return dataSource;
    }

    private static void setProperty(PGSimpleDataSource dataSource, String name, String value) {
        try {
            dataSource.setProperty(name, value);
        } catch (SQLException unknown) {
            throw new IllegalStateException(
                    "%s contains '%s', which is not a connection property of the PostgreSQL driver. Correct the name, or remove the property."
                            .formatted(OPTIONS, name),
                    unknown);
        }
    }

    @Override
    public String toString() {
        return origin;
    }

    private String template(Class<? extends DatabaseTemplate> template) {
        // Do not use template1, because any open connection to it makes the clone fail.
        return template == DatabaseTemplate.Empty.class
                ? "template0"
                : templates
                        .computeIfAbsent(template, any -> new Once<>(() -> fill(template)))
                        .get();
    }

    private String fill(Class<? extends DatabaseTemplate> template) {
        String name = create("saga_template_", "template0");
        try {
            BeanUtils.instantiateClass(template).fill(connectTo(name));
        } catch (Exception failed) {
            dropDatabase(name);
            throw new IllegalStateException(
                    "%s could not fill the template database on %s".formatted(template.getName(), origin), failed);
        }
        // A database with open connections cannot be cloned, and the template may have left a pool open.
        execute("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(name));
        execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'".formatted(name));
        return name;
    }

    private String create(String prefix, String template) {
        String name = prefix + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE DATABASE %s TEMPLATE %s".formatted(name, template));
        databases.add(name);
        return name;
    }

    private void execute(String sql) {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failed) {
            String advice = INSUFFICIENT_PRIVILEGE.equals(failed.getSQLState())
                    ? " The role must be allowed to create databases."
                    : "";
            throw new IllegalStateException(
                    "%s refused \"%s\": %s.%s".formatted(origin, sql, failed.getMessage(), advice), failed);
        }
    }

    private PGSimpleDataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        // The URL may contain a user and a password. Setting null would remove them.
        dataSource.setUrl(url);
        if (username != null) {
            dataSource.setUser(username);
        }
        if (password != null) {
            dataSource.setPassword(password);
        }
        return dataSource;
    }
}
