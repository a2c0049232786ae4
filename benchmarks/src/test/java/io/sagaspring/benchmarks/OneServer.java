package io.sagaspring.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Gives each test its own database on one server that all tests of this JVM share. Outside of tests, each measurement
 * starts its own server. The server stops with the JVM.
 */
final class OneServer implements BeforeEachCallback, AfterEachCallback {

    private static final String FOR_BENCHMARKS = "benchmark.url";
    private static final String FOR_TEST_DATABASES = "saga.test.database.url";

    private static final long ENOUGH_BYTES = 4L << 30;

    private static final DurableDatabase server = start();
    private static final AtomicInteger databases = new AtomicInteger();

    @SuppressWarnings("resource") // The server's own shutdown hook stops it.
    private static DurableDatabase start() {
        try {
            DurableDatabase started = DurableDatabase.startedIn(directory());
            if (System.getProperty(FOR_TEST_DATABASES, "").isBlank()) {
                System.setProperty(FOR_TEST_DATABASES, started.url());
            }
            return started;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Returns a directory in memory if there is enough room, because a flush costs nothing there. The files of a killed
     * JVM remain in this directory until a later test database removes them.
     */
    private static Path directory() throws IOException {
        Path memory = Path.of("/dev/shm");
        return Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() >= ENOUGH_BYTES
                ? memory.resolve("embedded-pg-data-" + System.getProperty("user.name"))
                : Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg");
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        String name = "benchmark_" + databases.incrementAndGet();
        JdbcClient.create(server.dataSource()).sql("CREATE DATABASE " + name).update();
        System.setProperty(FOR_BENCHMARKS, server.url().replace("/postgres?", "/%s?".formatted(name)));
    }

    @Override
    public void afterEach(ExtensionContext test) {
        System.clearProperty(FOR_BENCHMARKS);
    }
}
