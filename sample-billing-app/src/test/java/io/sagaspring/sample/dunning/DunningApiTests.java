package io.sagaspring.sample.dunning;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.lease.LeaseName;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.Api.Answer;
import io.sagaspring.sample.SampleTest;
import io.sagaspring.sample.Work;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests every call about dunning. Exactly one of several concurrent starts creates a chain. */
@SampleTest
class DunningApiTests {

    private static final String CLAIMED = "{\"status\":\"already_claimed\"}";
    private static final String PASSED = "{\"status\":\"already_passed\"}";

    private final Api api;
    private final TestDatabase database;
    private final JdbcClient jdbc;

    DunningApiTests(@LocalServerPort int port, @Autowired TestDatabase database) {
        this.api = new Api(port);
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    @Test
    void aChainProcessesItsLettersInOrderAndMailsEachLetterOnce() {
        Answer started = start("order", "{\"stories\":[\"s2\",\"s1\",\"s3\"],\"stepMillis\":20}");
        awaitPassed("order");
        Answer loop = loop("order");

        assertThat(started.status()).isEqualTo(202);
        long token = started.body().path("token").asLong();
        assertThat(started.raw()).isEqualTo("{\"status\":\"started\",\"token\":%d}".formatted(token));
        String node = loop.body().at("/stories/0/node").asString();
        assertThat(node).isNotBlank();
        String story = "{\"id\":\"%%s\",\"status\":\"passed\",\"token\":%d,\"node\":\"%s\"}".formatted(token, node);
        assertThat(loop.raw())
                .isEqualTo("{\"state\":\"passed\",\"stories\":[%s,%s,%s]}"
                        .formatted(story.formatted("s2"), story.formatted("s1"), story.formatted("s3")));
        assertThat(api.get("/api/effects?kind=email").texts("ref"))
                .containsSubsequence("order/s2", "order/s1", "order/s3");
        requireOneMail("order", "s1", "s2", "s3");
        assertThat(api.mails("order/s1").body().at("/0/node").asString()).isEqualTo(node);
    }

    @Test
    void aRepeatedStartResetsNothing() {
        start("repeated", "{\"stories\":[\"s1\",\"s2\"]}");
        awaitPassed("repeated");
        String passed = loop("repeated").raw();

        for (String stories : List.of("[\"s1\",\"s2\"]", "[\"s2\",\"s1\"]", "[\"s1\"]")) {
            Answer again = start("repeated", "{\"stories\":%s,\"stepMillis\":60000}".formatted(stories));
            assertThat(again.status()).isEqualTo(200);
            assertThat(again.raw()).isEqualTo(PASSED);
        }
        assertThat(loop("repeated").raw()).isEqualTo(passed);
        requireOneMail("repeated", "s1", "s2");
    }

    @Test
    void aLaterStartProcessesOnlyNewLetters() {
        long first =
                start("later", "{\"stories\":[\"s1\"]}").body().path("token").asLong();
        awaitPassed("later");
        awaitRelease("later");

        Answer more = start("later", "{\"stories\":[\"s2\",\"s1\"]}");
        awaitPassed("later");

        assertThat(more.status()).isEqualTo(202);
        long second = more.body().path("token").asLong();
        assertThat(second).isGreaterThan(first);
        assertThat(stories("later")).containsExactly("s1 passed " + first, "s2 passed " + second);
        requireOneMail("later", "s1", "s2");
    }

    @Test
    void aStartDuringARunningChainIsRefusedButItsNewLettersAreKept() {
        // The chain waits before it marks its first letter as passed.
        Work.whileLocked(database, Work.NO_EFFECTS, () -> {
            long token = start("busy", "{\"stories\":[\"s1\",\"s2\"]}")
                    .body()
                    .path("token")
                    .asLong();
            await().atMost(30, SECONDS).until(() -> stories("busy").get(0).startsWith("s1 in_progress"));

            Answer again = start("busy", "{\"stories\":[\"s1\",\"s2\"]}");
            Answer more = start("busy", "{\"stories\":[\"s3\",\"s2\"],\"stepMillis\":3600000}");

            assertThat(again.status()).isEqualTo(200);
            assertThat(again.raw()).isEqualTo(CLAIMED);
            assertThat(more.raw()).isEqualTo(CLAIMED);
            assertThat(stories("busy"))
                    .containsExactly("s1 in_progress " + token, "s2 pending null", "s3 pending null");
            assertThat(loop("busy").text("state")).isEqualTo("running");
            assertThat(loop("busy").raw())
                    .contains("{\"id\":\"s2\",\"status\":\"pending\",\"token\":null,\"node\":null}");
        });

        awaitPassed("busy");
        requireOneMail("busy", "s1", "s2", "s3");
    }

    @Test
    void exactlyOneOfConcurrentCallersStartsANewLoop() {
        for (int round = 0; round < 5; round++) {
            String loop = "race-" + round;

            List<Answer> answers = Work.race(
                            8,
                            caller -> start(
                                    loop,
                                    caller % 2 == 0
                                            ? "{\"stories\":[\"s1\",\"s2\"],\"stepMillis\":100}"
                                            : "{\"stories\":[\"s2\",\"s1\"],\"stepMillis\":100}"))
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();

            assertThat(answers).filteredOn(answer -> answer.status() == 202).hasSize(1);
            assertThat(answers)
                    .filteredOn(answer -> answer.status() != 202)
                    .allSatisfy(loser -> assertThat(loser.raw()).isIn(CLAIMED, PASSED));
            awaitPassed(loop);
            requireOneMail(loop, "s1", "s2");
        }
    }

    @Test
    void aFailedChainIsContinued() {
        jdbc.sql("ALTER TABLE effects.effect ADD CONSTRAINT broken CHECK (ref <> 'fails/s2')")
                .update();
        long first;
        try {
            first = start("fails", "{\"stories\":[\"s1\",\"s2\"]}")
                    .body()
                    .path("token")
                    .asLong();
            await().atMost(30, SECONDS)
                    .until(() -> loop("fails").body().at("/stories/1/token").asLong() > first);
        } finally {
            jdbc.sql("ALTER TABLE effects.effect DROP CONSTRAINT broken").update();
        }

        awaitPassed("fails");
        assertThat(stories("fails").get(0)).isEqualTo("s1 passed " + first);
        requireOneMail("fails", "s1", "s2");
    }

    @Test
    void anUnknownLoopIsNotFound() {
        api.get("/api/dunning/nobody").requireProblem(404, "");
        assertThat(api.get("/api/dunning/nobody").text("detail")).isEqualTo("There is no dunning loop 'nobody'.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{}",
                "[]",
                "{\"stories\":null}",
                "{\"stories\":[]}",
                "{\"stories\":\"s1\"}",
                "{\"stories\":[null]}",
                "{\"stories\":[\"\"]}",
                "{\"stories\":[\" \"]}",
                "{\"stories\":[\"\\u00a0\"]}",
                "{\"stories\":[\"s1\",\"s2\",\"s1\"]}",
                "{\"stories\":[\"s1/a\"]}",
                "{\"stories\":[\"s1\\n\"]}",
                "{\"stories\":[\"s1\\u0000\"]}",
                "{\"stories\":[\"s1\\u0085\"]}",
                "{\"stories\":[\"\\ud800\"]}",
                "{\"stories\":[\"s1\"],\"stepMillis\":-1}",
                "{\"stories\":[\"s1\"],\"stepMillis\":3600001}",
                "{\"stories\":[\"s1\"],\"stepMillis\":1e30}",
                "{\"stories\":[\"s1\"],\"stepMillis\":0.5}",
                "{\"stories\":[\"s1\"],\"stepMillis\":\"long\"}"
            })
    void aMalformedStartIsRefusedAndCreatesNoLoop(String body) {
        start("malformed", body).requireProblem(400, "");
        api.get("/api/dunning/malformed").requireProblem(404, "");
    }

    @Test
    void anIdThatIsTooLongAndTooManyLettersAreRefused() {
        String longest = "x".repeat(100);
        String many = "\"%s\""
                .formatted(String.join(
                        "\",\"",
                        IntStream.range(0, 1001).mapToObj(Integer::toString).toList()));

        Answer refused = start("long", "{\"stories\":[\"x%s\"]}".formatted(longest));

        refused.requireProblem(400, "");
        assertThat(refused.text("detail")).contains("stories[0]");
        start("long", "{\"stories\":[%s]}".formatted(many)).requireProblem(400, "");
        start(longest + "x", "{\"stories\":[\"s1\"]}").requireProblem(400, "");
        api.get("/api/dunning/%sx".formatted(longest)).requireProblem(400, "");
        assertThat(start(longest, "{\"stories\":[\"%s\"]}".formatted(longest)).status())
                .isEqualTo(202);
        awaitPassed(longest);
    }

    @ParameterizedTest
    @ValueSource(strings = {"%20", "a%0Ab", "a%00b", "a%2Fb", "%C2%85"})
    void aMalformedLoopIdIsRefused(String loop) {
        start(loop, "{\"stories\":[\"s1\"]}").requireProblem(400, "");
        api.get("/api/dunning/" + loop).requireProblem(400, "");
    }

    @Test
    void idsCanContainBlanksAndNonAsciiCharacters() {
        assertThat(start("M%C3%A4rz%202026%25", "{\"stories\":[\"zw\\u00f6lf %, ' \\ud83d\\ude00\"]}")
                        .status())
                .isEqualTo(202);
        awaitPassed("M%C3%A4rz%202026%25");
        assertThat(stories("M%C3%A4rz%202026%25").get(0)).startsWith("zw\u00f6lf %, ' \ud83d\ude00 passed");
    }

    private Answer start(String loop, String body) {
        return api.post("/api/dunning/%s/start".formatted(loop), body);
    }

    private Answer loop(String loop) {
        return api.get("/api/dunning/" + loop);
    }

    private List<String> stories(String loop) {
        return loop(loop)
                .body()
                .path("stories")
                .valueStream()
                .map(story -> "%s %s %s"
                        .formatted(
                                story.path("id").asString(),
                                story.path("status").asString(),
                                story.path("token")))
                .toList();
    }

    private void awaitPassed(String loop) {
        await().atMost(30, SECONDS).until(() -> loop(loop).text("state").equals("passed"));
    }

    /** The chain releases its lease after it has marked its last letter as passed. */
    private void awaitRelease(String loop) {
        await().atMost(30, SECONDS)
                .until(() -> jdbc.sql("""
                        SELECT count(*) FROM saga_lease
                        WHERE name = ? AND expires_at > clock_timestamp()""")
                                .param(LeaseName.of("dunning", loop).value())
                                .query(Integer.class)
                                .single()
                        == 0);
    }

    private void requireOneMail(String loop, String... stories) {
        for (String story : stories) {
            String ref = loop + "/" + story;
            assertThat(api.mails(ref).texts("key")).containsExactly("dunning:" + ref);
        }
    }
}
