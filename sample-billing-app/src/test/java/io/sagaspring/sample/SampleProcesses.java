package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Starts the sample's jar in processes of its own, and ends those that are left. */
final class SampleProcesses implements AutoCloseable {

    private static final HttpClient http = HttpClient.newHttpClient();

    /** Where the sample keeps its embedded servers and its log. */
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

    Process start() throws IOException {
        return start(freePort(), Map.of());
    }

    Process start(int port, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + temporary,
                // Its PostgreSQL is unpacked where that of the tests is, once.
                "-Dot.epg.working-dir=" + Path.of(System.getProperty("java.io.tmpdir"), "embedded-pg"),
                "-jar",
                System.getProperty("sample.jar"),
                "--server.port=" + port));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        temporary.resolve("sample-%d.log".formatted(port)).toFile()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        await().atMost(240, SECONDS).until(() -> !process.isAlive() || isReady(port));
        assertThat(process.isAlive())
                .as(() -> log(temporary.resolve("sample-%d.log".formatted(port))))
                .isTrue();
        return process;
    }

    private static boolean isReady(int port) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(
                            URI.create("http://localhost:%d/actuator/health/readiness".formatted(port)))
                    .timeout(Duration.ofSeconds(5))
                    .build();
            return http.send(request, BodyHandlers.ofString()).body().equals("{\"status\":\"UP\"}");
        } catch (IOException notYet) {
            return false;
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String log(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
