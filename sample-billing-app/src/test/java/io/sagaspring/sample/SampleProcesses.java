package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Starts the sample's jar in separate processes, and ends the processes that are still running when this object is
 * closed.
 */
final class SampleProcesses implements AutoCloseable {

    private static final Pattern ADDRESS = Pattern.compile("Open http://localhost:(\\d+)/");

    /** The directory of the sample's embedded servers and its log. */
    private final Path temporary;

    private final List<Process> started = new ArrayList<>();

    SampleProcesses(Path temporary) {
        this.temporary = temporary;
    }

    @Override
    public void close() {
        started.forEach(process -> process.toHandle().destroyForcibly());
        started.forEach(process -> process.onExit().join());
    }

    static Map<String, String> on(TestDatabase database) {
        return Map.of(
                "SPRING_DATASOURCE_URL", database.getJdbcUrl(),
                "SPRING_DATASOURCE_USERNAME", String.valueOf(database.getUsername()),
                "SPRING_DATASOURCE_PASSWORD", Objects.requireNonNullElse(database.getPassword(), ""));
    }

    Sample start() throws IOException {
        return start(Map.of());
    }

    /** Starts the sample and returns when its console shows the address of its page. */
    Sample start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                // The sample uses the same unpacked PostgreSQL as the tests, so that it is unpacked only once.
                "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
                "-jar",
                System.getProperty("sample.jar"),
                "--server.port=0"));
        command.addAll(List.of(arguments));
        Path log = temporary.resolve("sample-%d.log".formatted(started.size()));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        await().atMost(240, SECONDS)
                .until(() -> !process.isAlive() || ADDRESS.matcher(read(log)).find());
        Matcher address = ADDRESS.matcher(read(log));
        assertThat(address.find()).as(() -> read(log)).isTrue();
        return new Sample(process, Integer.parseInt(address.group(1)));
    }

    /** A process that runs the sample, and the port that the sample has chosen. */
    record Sample(Process process, int port) {

        /** Kills the process without any time to clean up. */
        void kill() throws InterruptedException {
            process.toHandle().destroyForcibly();
            assertThat(process.waitFor(30, SECONDS)).isTrue();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
