package io.sagaspring.chaos;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A server that no other test uses. It can be stopped immediately and restarted with all committed data. */
final class OwnServer implements AutoCloseable {

    private final Path data;
    private EmbeddedPostgres postgres;

    OwnServer(Path data) throws IOException {
        this.data = data;
        this.postgres = started(0);
    }

    /** Starts the server without fsync, because the tests kill its processes but do not simulate a power failure. */
    private EmbeddedPostgres started(int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .setLocaleConfig("locale", "C")
                .setServerConfig("fsync", "off")
                .setServerConfig("full_page_writes", "off")
                // The embedded server turns this off by default, and could then lose acknowledged commits.
                .setServerConfig("synchronous_commit", "on")
                .start();
    }

    String url() {
        return "jdbc:postgresql://localhost:%d/postgres?user=postgres&connectTimeout=2&socketTimeout=10"
                .formatted(postgres.getPort());
    }

    /**
     * Stops the server like {@code pg_ctl -m immediate}, without a checkpoint. The next start recovers from the
     * write-ahead log.
     */
    void stopAtOnce() throws IOException, InterruptedException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
        ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
        int exit = new ProcessBuilder("kill", "-QUIT", Long.toString(pid))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("kill -QUIT %d: %d".formatted(pid, exit));
        }
        server.onExit().join();
    }

    void startAgain() throws IOException {
        int port = postgres.getPort();
        postgres.close();
        postgres = started(port);
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
