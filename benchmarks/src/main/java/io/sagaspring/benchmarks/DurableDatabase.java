package io.sagaspring.benchmarks;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A database that keeps what it has acknowledged. The one of the tests does not: it saves them the flushes, which here
 * are what is paid for.
 */
final class DurableDatabase implements AutoCloseable {

    private final String url;
    private final @Nullable EmbeddedPostgres server;
    private final @Nullable ProcessHandle postmaster;

    private DurableDatabase(String url, @Nullable EmbeddedPostgres server) {
        this.url = url;
        this.server = server;
        this.postmaster = postmaster(url);
    }

    /** The one at {@code -Dbenchmark.url}, a database for this purpose alone; else a server of our own. */
    static DurableDatabase open() throws IOException {
        String given = System.getProperty("benchmark.url", "");
        DurableDatabase database = given.isBlank() ? started() : new DurableDatabase(given, null);
        database.requireDurability();
        return database;
    }

    @SuppressWarnings("resource") // Closed with this.
    private static DurableDatabase started() throws IOException {
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(Path.of(
                        System.getProperty("java.io.tmpdir"),
                        "embedded-pg",
                        UUID.randomUUID().toString()))
                .setLocaleConfig("locale", "C")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_buffers", "256MB")
                // A checkpoint in the middle of a round would be a figure about that round.
                .setServerConfig("max_wal_size", "8GB")
                .setServerConfig("checkpoint_timeout", "1h")
                .start();
        return new DurableDatabase(
                "jdbc:postgresql://localhost:%d/postgres?user=postgres".formatted(server.getPort()), server);
    }

    String url() {
        return url;
    }

    /** The same with another setting of the driver. */
    String urlWith(String setting) {
        return url + (url.contains("?") ? "&" : "?") + setting;
    }

    /** Connections beside the pool. */
    DataSource dataSource() {
        return new DriverManagerDataSource(url);
    }

    /** What its processes have computed so far: zero where they cannot be seen from here. */
    Duration cpu() {
        return Stream.ofNullable(postmaster)
                .flatMap(ProcessHandle::children)
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    private static @Nullable ProcessHandle postmaster(String url) {
        // The connection stays open meanwhile: its process tells who its parent is only as long as it lives.
        SingleConnectionDataSource connection = new SingleConnectionDataSource(url, true);
        try {
            long backend = JdbcClient.create(connection)
                    .sql("SELECT pg_backend_pid()")
                    .query(Long.class)
                    .single();
            return ProcessHandle.of(backend)
                    .flatMap(ProcessHandle::parent)
                    .filter(parent -> parent.info().command().orElse("").contains("postgres"))
                    .orElse(null);
        } finally {
            connection.destroy();
        }
    }

    private void requireDurability() {
        for (String setting : new String[] {"fsync", "synchronous_commit", "full_page_writes"}) {
            String value = JdbcClient.create(dataSource())
                    .sql("SELECT current_setting(?)")
                    .param(setting)
                    .query(String.class)
                    .single();
            if (!value.equals("on")) {
                throw new IllegalStateException(
                        "The database has %s = %s, so what it acknowledges may be lost and the figures would be about nothing. Set it to on."
                                .formatted(setting, value));
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
    }
}
