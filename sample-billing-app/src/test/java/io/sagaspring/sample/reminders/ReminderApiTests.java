package io.sagaspring.sample.reminders;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Compares the same action with and without a claim state. */
@SampleTest
class ReminderApiTests {

    private final Api api;
    private final TestDatabase database;

    ReminderApiTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.database = database;
    }

    private String written(String about) {
        Answer written = api.post("/api/reminders", "{\"about\":\"%s\"}".formatted(about));
        assertThat(written.status()).isEqualTo(201);
        assertThat(written.text("status")).isEqualTo("WRITTEN");
        return written.location();
    }

    @Test
    void onlyOneOfTwoConcurrentAdminsSendsAMail() {
        String reminder = written("CLAIMED");

        List<CompletableFuture<Answer>> first = new ArrayList<>();
        Work.whileLocked(database, Work.NO_EFFECTS, () -> {
            first.add(api.started(reminder + "/steps/send"));
            Work.awaitWaiting(database, "effects.effect", 1);
            assertThat(api.get(reminder).text("status")).isEqualTo("SENDING");
            api.step(reminder + "/steps/send").requireProblem(409, "ClaimFailed");
        });

        assertThat(first.get(0).join().raw()).isEqualTo("{\"outcome\":\"Completed\",\"status\":\"SENT\"}");
        assertThat(api.mails("CLAIMED").body()).hasSize(1);
    }

    /** Both callers begin the action before either has written, so both send a mail. */
    @Test
    void twoConcurrentCallersWithoutAClaimBothSendAMailAndOneIsRefused() {
        String reminder = written("UNCLAIMED");

        List<CompletableFuture<Answer>> both = new ArrayList<>();
        Work.whileLocked(database, Work.NO_EFFECTS, () -> {
            both.addAll(Work.race(2, caller -> api.step(reminder + "/steps/send", "X-Requester", "system")));
            Work.awaitWaiting(database, "effects.effect", 2);
        });

        assertThat(both)
                .extracting(CompletableFuture::join)
                .extracting(Answer::status)
                .containsExactlyInAnyOrder(200, 409);
        assertThat(api.mails("UNCLAIMED").body()).hasSize(2);
    }

    @Test
    void anUnknownOrMalformedReminderIsRefused() {
        api.get("/api/reminders/987654").requireProblem(404, "");
        api.post("/api/reminders", "{\"about\":\" \"}").requireProblem(400, "");
        api.step(written("STEPS") + "/steps/unknown").requireProblem(404, "UnknownStep");
    }
}
