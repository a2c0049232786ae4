package io.sagaspring.sample;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server that lives and dies with this application, data included. Where the application was killed and
 * could not stop its server, the next start does.
 */
final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(EmbeddedDatabase.class);

    private final Path home;
    private final FileChannel owner;
    private final EmbeddedPostgres server;

    private EmbeddedDatabase(Path home, FileChannel owner, EmbeddedPostgres server) {
        this.home = home;
        this.owner = owner;
        this.server = server;
    }

    static EmbeddedDatabase start() throws IOException {
        Path homes = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"), "sample-billing-app"));
        LeftBehind.clear(homes);
        Path home = Files.createDirectory(homes.resolve(UUID.randomUUID().toString()));
        FileChannel owner = LeftBehind.own(home);
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(LeftBehind.data(home))
                .setLocaleConfig("locale", "C")
                .setServerConfig("synchronous_commit", "on")
                // The context stops it, after everything that is connected to it.
                .setRegisterShutdownHook(false)
                .start();
        logger.info("No spring.datasource.url is set: PostgreSQL runs embedded on port {}", server.getPort());
        return new EmbeddedDatabase(home, owner, server);
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
        owner.close();
        FileSystemUtils.deleteRecursively(home);
    }
}
