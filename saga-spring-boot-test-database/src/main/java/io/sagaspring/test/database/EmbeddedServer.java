package io.sagaspring.test.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * A server from PostgreSQL binaries on the class path, which runs as a child process of this JVM and is stopped with
 * it.
 */
final class EmbeddedServer implements ServerSource {

    @Override
    public String description() {
        return "embedded binaries";
    }

    // The server lives as long as the JVM, not only during this method.
    @SuppressWarnings("resource")
    @Override
    public PostgresServer start(TestSettings settings) throws Unavailable {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(DataDirectory.next())
                    .setRegisterShutdownHook(false)
                    // On a busy machine the first start takes a while.
                    .setPGStartupWait(Duration.ofMinutes(1))
                    .setLocaleConfig("locale", "C")
                    // The tests kill processes, not the machine, so fsync is not needed. Commits remain synchronous.
                    .setServerConfig("fsync", "off")
                    .setServerConfig("full_page_writes", "off")
                    .setServerConfig("synchronous_commit", "on")
                    // The write-ahead log may be in memory, and would grow to a gigabyte by default.
                    .setServerConfig("max_wal_size", "256MB")
                    .start();
            PostgresServer.atExit(() -> stop(postgres));
            return new PostgresServer(
                    "embedded PostgreSQL on port %d".formatted(postgres.getPort()),
                    "jdbc:postgresql://localhost:%d/postgres".formatted(postgres.getPort()),
                    "postgres",
                    null);
        } catch (IOException | RuntimeException | LinkageError failed) {
            throw new Unavailable(this, failed);
        }
    }

    private static void stop(EmbeddedPostgres postgres) {
        try {
            postgres.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
