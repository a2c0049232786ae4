package io.sagaspring.sample;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A PostgreSQL server that starts and stops with this application and keeps no data. If the application was killed
 * before it could stop the server, the next start of the application stops that server.
 */
final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(EmbeddedDatabase.class);

    private final LeftBehind.Home home;
    private final EmbeddedPostgres server;

    private EmbeddedDatabase(LeftBehind.Home home, EmbeddedPostgres server) {
        this.home = home;
        this.server = server;
    }

    static EmbeddedDatabase start() throws IOException {
        LeftBehind.Home home = LeftBehind.newHome(Path.of(System.getProperty("java.io.tmpdir"), "sample-billing-app"));
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setDataDirectory(home.data())
                    .setLocaleConfig("locale", "C")
                    .setServerConfig("synchronous_commit", "on")
                    // The application context stops the server, after it has closed everything that is connected to the
                    // server.
                    .setRegisterShutdownHook(false)
                    // On a busy machine the first start takes a while.
                    .setPGStartupWait(Duration.ofMinutes(1))
                    .start();
            logger.info("No spring.datasource.url is set: PostgreSQL runs embedded on port {}", server.getPort());
            return new EmbeddedDatabase(home, server);
        } catch (IOException | RuntimeException failed) {
            home.remove();
            throw failed;
        }
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://localhost:%d/postgres".formatted(server.getPort());
    }

    @Override
    public String getUsername() {
        return "postgres";
    }

    @Override
    public @Nullable String getPassword() {
        return null;
    }

    @Override
    public void close() throws IOException {
        server.close();
        home.remove();
    }
}
