package io.sagaspring.sample;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.SampleProcesses.Sample;
import io.sagaspring.test.database.TestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that another process frees the claims, keys and leases of a killed process, and continues its work. */
@Tag("chaos")
class KilledSampleIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** The longest time that the sweep itself takes on a busy machine. */
    private static final Duration SWEEP = Duration.ofSeconds(4);

    private static final String[] JANITOR = {
        "--saga.janitor.stuck-after=" + TIMEOUT, "--saga.janitor.interval=" + INTERVAL
    };

    @AutoClose
    private final SampleProcesses processes;

    KilledSampleIT(@TempDir Path temporary) {
        this.processes = new SampleProcesses(temporary);
    }

    @Test
    void aBillingOfAKilledProcessIsRevertedWithinTheConfiguredTime() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            Sample killed = processes.start(SampleProcesses.on(database), JANITOR);
            Api api = new Api(killed.port());
            String billing = api.approved("KILLED-1", "KILLED-2");
            CompletableFuture<Api.Answer> unanswered =
                    api.started(billing + "/steps/close", "X-Simulate", "delay=60000");
            await().atMost(30, SECONDS)
                    .until(() -> api.get(billing).text("status").equals("CLOSING"));
            killed.kill();

            Api next = new Api(
                    processes.start(SampleProcesses.on(database), JANITOR).port());

            await().atMost(TIMEOUT.plus(INTERVAL).plus(SWEEP))
                    .until(() -> next.get(billing).text("status").equals("APPROVED"));
            assertThat(unanswered).isCompletedExceptionally();
            assertThat(next.get("/api/effects").body()).isEmpty();
            assertThat(next.step(billing + "/steps/close").text("status")).isEqualTo("CLOSED");
            for (String invoice : List.of("KILLED-1", "KILLED-2")) {
                await().atMost(30, SECONDS)
                        .until(() -> !next.mails(invoice).body().isEmpty());
            }
        }
    }

    @Test
    void theKeyOfAKilledRequestCanBeUsedAgainAfterItsLease() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            String lease = "--saga.idempotency.lease-ttl=" + TIMEOUT;
            Sample killed = processes.start(SampleProcesses.on(database), lease);
            Api api = new Api(killed.port());
            String account = api.account("ada");
            String credits = account + "/credits";
            String body = "{\"amountCents\":500}";
            String[] key = {"Idempotency-Key", "killed-1"};
            CompletableFuture<Api.Answer> unanswered =
                    api.posted(credits, body, "Idempotency-Key", "killed-1", "X-Simulate", "delay=60000");
            JdbcClient jdbc = JdbcClient.create(database.dataSource());
            // The request locks the account when it writes the new balance.
            await().atMost(30, SECONDS)
                    .until(() -> jdbc.sql("SELECT id FROM account FOR UPDATE SKIP LOCKED")
                            .query(Long.class)
                            .list()
                            .isEmpty());
            api.post(credits, body, key).requireProblem(409, "DUPLICATE_REQUEST");
            killed.kill();

            Api next =
                    new Api(processes.start(SampleProcesses.on(database), lease).port());

            await().atMost(TIMEOUT.plus(SWEEP))
                    .until(() -> next.post(credits, body, key).status() == 200);
            assertThat(unanswered).isCompletedExceptionally();
            assertThat(next.get(account).body().path("balanceCents").asLong()).isEqualTo(500);
            assertThat(next.post(credits, body, key).isReplay()).isTrue();
        }
    }

    @Test
    void anotherProcessContinuesTheDunningChainOfAKilledProcess() throws Exception {
        try (TestDatabase database = TestDatabase.create()) {
            String lease = "--saga.leases.ttl=" + TIMEOUT;
            String loop = "/api/dunning/killed";
            Sample killed = processes.start(SampleProcesses.on(database), lease);
            Api api = new Api(killed.port());
            Api survivor =
                    new Api(processes.start(SampleProcesses.on(database), lease).port());
            String stories = "{\"stories\":[\"s1\",\"s2\",\"s3\"],\"stepMillis\":1500}";
            long token = api.post(loop + "/start", stories).body().path("token").asLong();
            await().atMost(30, SECONDS)
                    .until(() -> survivor.get(loop)
                            .body()
                            .at("/stories/0/status")
                            .asString()
                            .equals("passed"));
            String passed = survivor.get(loop).body().at("/stories/0").toString();
            killed.kill();
            assertThat(survivor.post(loop + "/start", stories).text("status")).isEqualTo("already_claimed");

            await().atMost(TIMEOUT.plus(SWEEP).plus(SWEEP))
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
}
