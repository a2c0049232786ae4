package io.sagaspring.sample.reminders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What a claim state is for: the same action with and without. */
@SampleTest
class ReminderApiTests {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final Api api;

    ReminderApiTests(@LocalServerPort int port) {
        this.api = new Api(port);
    }

    private String written(String about) {
        Answer written = api.post("/api/reminders", "{\"about\":\"%s\"}".formatted(about));
        assertThat(written.status()).isEqualTo(201);
        assertThat(written.text("status")).isEqualTo("WRITTEN");
        return written.location();
    }

    @Test
    void ofTwoAdminsAtOnceOneMails() {
        String reminder = written("CLAIMED");

        CompletableFuture<Answer> first = api.started(reminder + "/steps/send", "X-Simulate", "delay=2000");
        await().atMost(SOON).until(() -> api.get(reminder).text("status").equals("SENDING"));
        api.step(reminder + "/steps/send").requireProblem(409, "ClaimFailed");

        assertThat(first.join().raw()).isEqualTo("{\"outcome\":\"Completed\",\"status\":\"SENT\"}");
        assertThat(api.mails("CLAIMED").body()).hasSize(1);
    }

    /** Both are let in before either has written, so that both mail. */
    @Test
    void ofTwoWithTheVersionAloneBothMailAndOneIsRefused() {
        String reminder = written("UNCLAIMED");

        List<CompletableFuture<Answer>> both = Stream.of(1, 2)
                .map(caller ->
                        api.started(reminder + "/steps/send", "X-Requester", "system", "X-Simulate", "delay=3000"))
                .toList();

        assertThat(both)
                .extracting(CompletableFuture::join)
                .extracting(Answer::status)
                .containsExactlyInAnyOrder(200, 409);
        assertThat(api.mails("UNCLAIMED").body()).hasSize(2);
    }

    @Test
    void whatIsNotThereOrMalformedIsSaid() {
        api.get("/api/reminders/987654").requireProblem(404, "");
        api.post("/api/reminders", "{\"about\":\" \"}").requireProblem(400, "");
        api.step(written("STEPS") + "/steps/unknown").requireProblem(404, "UnknownStep");
    }
}
