package io.sagaspring.test.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** Real PostgreSQL binaries from the class path, run as a child of this JVM and stopped with it. */
final class EmbeddedServer implements ServerSource {

    @Override
    public String description() {
        return "embedded binaries";
    }

    // The server is the JVM's and outlives this method; a shutdown hook stops it.
    @SuppressWarnings("resource")
    @Override
    public PostgresServer start(TestSettings settings) throws Unavailable {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(dataDirectory())
                    .setLocaleConfig("locale", "C")
                    // No fsync: a test survives the death of a process, not a power cut. The commit stays synchronous.
                    .setServerConfig("fsync", "off")
                    .setServerConfig("full_page_writes", "off")
                    .setServerConfig("synchronous_commit", "on")
                    .start();
            return new PostgresServer(
                    "embedded PostgreSQL on port %d".formatted(postgres.getPort()),
                    "jdbc:postgresql://localhost:%d/postgres".formatted(postgres.getPort()),
                    "postgres",
                    null);
        } catch (IOException | RuntimeException | LinkageError failed) {
            throw new Unavailable(this, failed);
        }
    }

    /**
     * Among the binaries that Zonky unpacks, because there its next start looks for servers whose JVM was killed, stops
     * them and removes their data. Its default is a temporary directory where nobody looks.
     */
    private static Path dataDirectory() {
        return Path.of(
                System.getProperty("java.io.tmpdir"),
                "embedded-pg",
                UUID.randomUUID().toString());
    }
}
