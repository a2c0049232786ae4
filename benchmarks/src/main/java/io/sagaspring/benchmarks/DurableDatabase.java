package io.sagaspring.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A database that keeps every acknowledged commit. The tests use a database that does not flush its log to the disk.
 * The benchmarks must include the cost of these flushes.
 */
final class DurableDatabase implements AutoCloseable {

    private final String url;
    private final @Nullable EmbeddedPostgres server;

    /** A connection that stays open, so that the cost of connecting is not measured. */
    private final SingleConnectionDataSource beside;

    private final @Nullable ProcessHandle postmaster;

    /** The latest known processor time of each server process. The map keeps the time of processes that have ended. */
    private final Map<Long, Duration> cpu = new HashMap<>();

    private DurableDatabase(String url, @Nullable EmbeddedPostgres server) {
        this.url = url;
        this.server = server;
        this.beside = new SingleConnectionDataSource(url, true);
        this.postmaster = postmaster(beside);
    }

    /**
     * Opens the database at {@code -Dbenchmark.url}, which must not be used for anything else, or starts a server if
     * this property is not set.
     */
    static DurableDatabase open() throws IOException {
        String given = System.getProperty("benchmark.url", "");
        return given.isBlank()
                ? startedIn(Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"))
                : required(new DurableDatabase(given, null));
    }

    private static DurableDatabase required(DurableDatabase database) {
        database.requireDurability();
        return database;
    }

    /** Starts a server whose files are in a new directory below the given one. */
    @SuppressWarnings("resource") // The returned object closes the server.
    static DurableDatabase startedIn(Path parent) throws IOException {
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setDataDirectory(parent.resolve(UUID.randomUUID().toString()))
                // On a busy machine the first start takes a while.
                .setPGStartupWait(Duration.ofMinutes(1))
                .setLocaleConfig("locale", "C")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("shared_buffers", "256MB")
                // This is enough for one pool per contender.
                .setServerConfig("max_connections", "200")
                // A checkpoint in the middle of a round would distort that round.
                .setServerConfig("max_wal_size", "8GB")
                .setServerConfig("checkpoint_timeout", "1h")
                .start();
        return required(new DurableDatabase(
                "jdbc:postgresql://localhost:%d/postgres?user=postgres".formatted(server.getPort()), server));
    }

    String url() {
        return url;
    }

    /** Returns the URL with an additional driver setting. */
    String urlWith(String setting) {
        return url + (url.contains("?") ? "&" : "?") + setting;
    }

    /** Returns a data source without a pool. It opens a new connection for each use. */
    DataSource dataSource() {
        return new DriverManagerDataSource(url);
    }

    /** Returns the processor time of the server so far, or zero if its processes are not visible to this process. */
    Duration cpu() {
        Stream.ofNullable(postmaster)
                .flatMap(ProcessHandle::children)
                .forEach(process ->
                        process.info().totalCpuDuration().ifPresent(computed -> cpu.put(process.pid(), computed)));
        return cpu.values().stream().reduce(Duration.ZERO, Duration::plus);
    }

    /** Returns the resources spent so far. Call this method only while no contender is working. */
    Spent spent() {
        WireCounter.Counts sent = WireCounter.sent();
        return JdbcClient.create(beside)
                .sql(
                        "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint, pg_current_wal_insert_lsn() - '0/0'")
                .query((row, number) -> new Spent(
                        sent.statements(), sent.roundTrips(), row.getLong(1), row.getLong(2), clientCpu(), cpu()))
                .single();
    }

    private static Duration clientCpu() {
        return Duration.ofNanos(
                ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime());
    }

    private static @Nullable ProcessHandle postmaster(DataSource beside) {
        long backend = JdbcClient.create(beside)
                .sql("SELECT pg_backend_pid()")
                .query(Long.class)
                .single();
        return ProcessHandle.of(backend)
                .flatMap(ProcessHandle::parent)
                .filter(parent -> parent.info().command().orElse("").contains("postgres"))
                .orElse(null);
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
                        "The database has %s = %s, so acknowledged commits may be lost and the figures would mean nothing. Set it to on."
                                .formatted(setting, value));
            }
        }
    }

    @Override
    public void close() throws IOException {
        beside.destroy();
        if (server != null) {
            server.close();
        }
    }
}
