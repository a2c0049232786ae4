package io.sagaspring.test.database;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggerConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container, which Testcontainers removes when this JVM ends. */
final class DockerServer implements ServerSource {

    private static final List<String> SILENCED_LOGGERS = List.of("org.testcontainers", "tc", "com.github.dockerjava");

    @Override
    public String description() {
        return "Docker";
    }

    // The container lives as long as the JVM, not only during this method. Testcontainers stops it at the end.
    @SuppressWarnings("resource")
    @Override
    public PostgresServer start(TestSettings settings) throws Unavailable {
        DockerImageName image =
                DockerImageName.parse("postgres").withTag(settings.version().orElse(TestSettings.NEWEST));
        try {
            if (!isDockerAvailable()) {
                throw new Unavailable(this, "no Docker engine answered");
            }
            PostgreSQLContainer container = new PostgreSQLContainer(image);
            // The tests kill processes, not the machine, so fsync is not needed. Commits remain synchronous.
            container.setCommand(
                    "postgres", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300");
            container.withEnv("POSTGRES_INITDB_ARGS", "--locale=C");
            container.start();
            return new PostgresServer(
                    "Docker image %s".formatted(image),
                    container.getJdbcUrl(),
                    container.getUsername(),
                    container.getPassword());
        } catch (RuntimeException | LinkageError failed) {
            throw new Unavailable(this, failed);
        }
    }

    /**
     * Checks for Docker without writing to the log. Testcontainers logs each failed attempt as an error with a stack
     * trace, although many machines have no Docker.
     */
    private static boolean isDockerAvailable() {
        LoggingSystem logging = LoggingSystem.get(DockerServer.class.getClassLoader());
        Map<String, @Nullable LogLevel> before = new LinkedHashMap<>();
        for (String logger : SILENCED_LOGGERS) {
            LoggerConfiguration known = logging.getLoggerConfiguration(logger);
            before.put(logger, known == null ? null : known.getConfiguredLevel());
            logging.setLogLevel(logger, LogLevel.OFF);
        }
        try {
            return DockerClientFactory.instance().isDockerAvailable();
        } finally {
            before.forEach(logging::setLogLevel);
        }
    }
}
