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
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The jar as a newcomer starts and stops it, with nothing but a JDK. */
class SampleProcessIT {

    private static final Duration WINDOW = Duration.ofSeconds(5);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** What the sweep itself may take on a busy machine. */
    private static final Duration SWEEP = Duration.ofSeconds(4);

    private static final String[] JANITOR = {
        "--saga.janitor.stuck-after=" + WINDOW, "--saga.janitor.interval=" + INTERVAL
    };

    /** Where the sample keeps its embedded servers. */
    private final Path temporary;

    private final List<Process> started = new ArrayList<>();

    SampleProcessIT(@TempDir Path temporary) {
        this.temporary = temporary;
    }

    @AfterEach
    void endWhatWasStarted() {
        started.forEach(process -> process.toHandle().destroyForcibly());
        started.forEach(process -> process.onExit().join());
        databases().forEach(Database::end);
    }

    @Test
    void aStoppedSampleLeavesNeitherServerNorData() throws Exception {
        Process sample = start();
        Database database = databases().get(0);

        sample.destroy();

        assertThat(sample.waitFor(30, SECONDS)).isTrue();
        await().atMost(30, SECONDS).until(() -> !database.isAlive());
        assertThat(databases()).isEmpty();
    }

    @Test
    @Tag("chaos")
    void afterAKillTheNextStartRemovesServerAndData() throws Exception {
        Process sample = start();
        Database leftBehind = databases().get(0);
        sample.toHandle().destroyForcibly();
        assertThat(sample.waitFor(30, SECONDS)).isTrue();
        assertThat(leftBehind.isAlive()).isTrue();

        start();

        await().atMost(30, SECONDS).until(() -> !leftBehind.isAlive());
        assertThat(databases()).hasSize(1).doesNotContain(leftBehind);
    }

    @Test
    @Tag("chaos")
    void aSecondSampleLeavesTheFirstOnesDatabaseAlone() throws Exception {
        start();
        Database first = databases().get(0);

        start();

        assertThat(databases()).hasSize(2).contains(first).allMatch(Database::isAlive);
    }

    @Test
    @Tag("chaos")
    void aBillingThatAKillLeftBehindIsFreeAgainAfterWindowAndInterval() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            int port = freePort();
            Api api = new Api(port);
            Process killed = start(port, on(database), JANITOR);
            String billing = api.approved("KILLED-1", "KILLED-2");
            CompletableFuture<Api.Answer> unanswered =
                    api.started(billing + "/steps/close", "X-Simulate", "delay=60000");
            await().atMost(30, SECONDS)
                    .until(() -> api.get(billing).text("status").equals("CLOSING"));
            killed.toHandle().destroyForcibly();
            assertThat(killed.waitFor(30, SECONDS)).isTrue();

            start(port, on(database), JANITOR);

            await().atMost(WINDOW.plus(INTERVAL).plus(SWEEP))
                    .until(() -> api.get(billing).text("status").equals("APPROVED"));
            assertThat(unanswered).isCompletedExceptionally();
            assertThat(api.get("/api/effects").body()).isEmpty();
            assertThat(api.step(billing + "/steps/close").text("status")).isEqualTo("CLOSED");
            for (String invoice : List.of("KILLED-1", "KILLED-2")) {
                await().atMost(30, SECONDS)
                        .until(() -> !api.mails(invoice).body().isEmpty());
            }
        }
    }

    @Test
    @Tag("chaos")
    void theKeyOfARequestThatAKillLeftBehindIsFreeAgainAfterItsLease() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            int port = freePort();
            Api api = new Api(port);
            String lease = "--saga.idempotency.lease=" + WINDOW;
            Process killed = start(port, on(database), lease);
            String account = api.account("ada");
            String credits = account + "/credits";
            String body = "{\"amountCents\":500}";
            String[] key = {"Idempotency-Key", "killed-1"};
            CompletableFuture<Api.Answer> unanswered =
                    api.posted(credits, body, "Idempotency-Key", "killed-1", "X-Simulate", "delay=60000");
            JdbcClient jdbc = JdbcClient.create(database.dataSource());
            // The account is locked by who has written it.
            await().atMost(30, SECONDS)
                    .until(() -> jdbc.sql("SELECT id FROM account FOR UPDATE SKIP LOCKED")
                            .query(Long.class)
                            .list()
                            .isEmpty());
            api.post(credits, body, key).requireProblem(409, "DUPLICATE_REQUEST");
            killed.toHandle().destroyForcibly();
            assertThat(killed.waitFor(30, SECONDS)).isTrue();

            start(port, on(database), lease);

            await().atMost(WINDOW.plus(SWEEP))
                    .until(() -> api.post(credits, body, key).status() == 200);
            assertThat(unanswered).isCompletedExceptionally();
            assertThat(api.get(account).body().path("balanceCents").asLong()).isEqualTo(500);
            assertThat(api.post(credits, body, key).isReplay()).isTrue();
        }
    }

    @Test
    @Tag("chaos")
    void aChainThatAKillLeftBehindIsGoneOnWithByAnotherProcessAfterItsLease() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            int port = freePort();
            Api api = new Api(port);
            String lease = "--saga.leases.ttl=" + WINDOW;
            String loop = "/api/dunning/killed";
            Process killed = start(port, on(database), lease);
            int another = freePort();
            start(another, on(database), lease);
            Api survivor = new Api(another);
            String stories = "{\"stories\":[\"s1\",\"s2\",\"s3\"],\"stepMillis\":1500}";
            long token = api.post(loop + "/start", stories).body().path("token").asLong();
            await().atMost(30, SECONDS)
                    .until(() -> survivor.get(loop)
                            .body()
                            .at("/stories/0/status")
                            .asString()
                            .equals("passed"));
            String passed = survivor.get(loop).body().at("/stories/0").toString();
            killed.toHandle().destroyForcibly();
            assertThat(killed.waitFor(30, SECONDS)).isTrue();
            assertThat(survivor.post(loop + "/start", stories).text("status")).isEqualTo("already_claimed");

            await().atMost(WINDOW.plus(SWEEP).plus(SWEEP))
                    .until(() -> survivor.get(loop).text("state").equals("passed"));
            assertThat(survivor.get(loop).body().at("/stories/0")).hasToString(passed);
            assertThat(survivor.get(loop).body().at("/stories/2/token").asLong())
                    .isGreaterThan(token);
            assertThat(survivor.mails("killed/s1").body()).hasSize(1);
            for (String story : List.of("killed/s2", "killed/s3")) {
                assertThat(survivor.mails(story).texts("key"))
                        .hasSizeBetween(1, 2)
                        .containsOnly("dunning:" + story);
            }
        }
    }

    private static Map<String, String> on(TestDatabase database) {
        return Map.of(
                "SPRING_DATASOURCE_URL", database.getJdbcUrl(),
                "SPRING_DATASOURCE_USERNAME", String.valueOf(database.getUsername()),
                "SPRING_DATASOURCE_PASSWORD", Objects.requireNonNullElse(database.getPassword(), ""));
    }

    private Process start() throws IOException {
        return start(freePort(), Map.of());
    }

    private Process start(int port, Map<String, String> environment, String... arguments) throws IOException {
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
        await().atMost(120, SECONDS).until(() -> !process.isAlive() || isReady(port));
        assertThat(process.isAlive())
                .as(() -> log(temporary.resolve("sample-%d.log".formatted(port))))
                .isTrue();
        return process;
    }

    private static boolean isReady(int port) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(
                            URI.create("http://localhost:%d/actuator/health/readiness".formatted(port)))
                    .build();
            return HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body()
                    .equals("{\"status\":\"UP\"}");
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
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

    private List<Database> databases() {
        Path homes = temporary.resolve("sample-billing-app");
        List<Database> found = new ArrayList<>();
        if (Files.exists(homes)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(homes, Files::isDirectory)) {
                for (Path home : all) {
                    found.add(Database.in(home));
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        return found;
    }

    /** A server process, known by the pid that PostgreSQL itself writes beside its data. */
    record Database(Path home, long pid) {

        static Database in(Path home) throws IOException {
            List<String> lines = Files.readAllLines(home.resolve("data").resolve("postmaster.pid"));
            return new Database(home, Long.parseLong(lines.get(0).trim()));
        }

        boolean isAlive() {
            return ProcessHandle.of(pid).isPresent();
        }

        void end() {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
