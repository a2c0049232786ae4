package io.sagaspring.sample.ticks;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.sample.Api;
import io.sagaspring.sample.FiredTicks;
import io.sagaspring.sample.SampleNodes;
import io.sagaspring.test.database.TestDatabase;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances of the sample share the schedule 'tick'. */
class TickNodesTests {

    private static final String[] TICKING = {
        "--sample.tick.every=1s", "--saga.schedules.poll-interval=100ms", "--saga.runs.poll-interval=100ms"
    };

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    private static List<String> ticks(Api api) {
        return api.get("/api/effects?kind=tick").texts("ref");
    }

    private static void awaitTicks(Api api, int atLeast) {
        await().atMost(60, SECONDS).until(() -> ticks(api).size() >= atLeast);
    }

    private static void awaitTime(Instant time) {
        await().atMost(60, SECONDS).until(() -> Instant.now().isAfter(time));
    }

    @Test
    void eachInstantFiresOnceOnTwoInstances() {
        try (ConfigurableApplicationContext one = SampleNodes.start(database, TICKING);
                ConfigurableApplicationContext two = SampleNodes.start(database, TICKING)) {
            Api first = SampleNodes.api(one);
            Api second = SampleNodes.api(two);
            int before = FiredTicks.of(database).size();
            awaitTicks(first, ticks(first).size() + 5);

            assertThat(ticks(second)).doesNotHaveDuplicates();
            // Both instances are up, so no instant is missing. The run of a later instant may end first.
            List<Instant> fired = FiredTicks.of(database);
            for (int each = before + 1; each < fired.size(); each++) {
                assertThat(fired.get(each)).isEqualTo(fired.get(each - 1).plusSeconds(1));
            }
            assertThat(first.get("/api/schedules").raw())
                    .matches("\\[\\{\"name\":\"tick\",\"next\":\"[^\"]+Z\",\"last\":\"[^\"]+Z\",\"paused\":false}]");
        }
    }

    @Test
    void aPauseTakesEffectOnEveryInstance() {
        try (ConfigurableApplicationContext one = SampleNodes.start(database, TICKING);
                ConfigurableApplicationContext two = SampleNodes.start(database, TICKING)) {
            Api first = SampleNodes.api(one);
            Api second = SampleNodes.api(two);
            awaitTicks(first, 1);

            assertThat(first.post("/api/schedules/tick/pause", "{\"reason\":\"bank holiday\"}")
                            .status())
                    .isEqualTo(200);
            Instant paused = Instant.parse(
                    second.get("/api/schedules").body().at("/0/last").asString());
            assertThat(second.get("/api/schedules").body().at("/0/paused").asBoolean())
                    .isTrue();
            assertThat(second.get("/api/schedules").body().at("/0/next").isNull())
                    .isTrue();

            assertThat(second.post("/api/schedules/tick/trigger", "{}")
                            .body()
                            .path("runId")
                            .asString())
                    .isNotBlank();
            await().atMost(60, SECONDS)
                    .until(() -> ticks(first).stream().map(Instant::parse).anyMatch(each -> each.isAfter(paused)));
            awaitTime(paused.plusSeconds(4));
            assertThat(ticks(first).stream().map(Instant::parse).filter(each -> each.isAfter(paused)))
                    .hasSize(1);

            assertThat(second.post("/api/schedules/tick/resume", "{}").status()).isEqualTo(200);
            int before = ticks(first).size();
            awaitTicks(first, before + 2);
            assertThat(ticks(first)).doesNotHaveDuplicates();
        }
    }

    @Test
    void afterATimeWithoutANodeOnlyTheLatestMissedInstantFires() {
        try (ConfigurableApplicationContext one = SampleNodes.start(database, TICKING)) {
            awaitTicks(SampleNodes.api(one), 2);
        }
        List<Instant> before = FiredTicks.of(database);
        Instant last = before.get(before.size() - 1);
        awaitTime(last.plusSeconds(8));

        try (ConfigurableApplicationContext next = SampleNodes.start(database, TICKING)) {
            awaitTicks(SampleNodes.api(next), before.size() + 2);

            List<Instant> all = FiredTicks.of(database);
            List<Instant> after = all.subList(before.size(), all.size());
            assertThat(after.get(0)).isAfterOrEqualTo(last.plusSeconds(8));
            assertThat(after.get(1)).isEqualTo(after.get(0).plusSeconds(1));
        }
    }

    @Test
    void aCallForAnUnknownScheduleOrAMalformedPauseIsRefused() {
        try (ConfigurableApplicationContext one = SampleNodes.start(database)) {
            Api api = SampleNodes.api(one);

            for (String call : List.of("trigger", "resume", "pause")) {
                assertThat(api.post("/api/schedules/tock/" + call, "{\"reason\":\"why\"}")
                                .status())
                        .isEqualTo(404);
            }
            for (String body : List.of("{}", "{\"reason\":\" \"}", "{\"reason\":\"\\u0000\"}")) {
                assertThat(api.post("/api/schedules/tick/pause", body).status()).isEqualTo(400);
            }
            // Without sample.tick.every, the schedule is off.
            assertThat(api.get("/api/schedules").raw()).isEqualTo("[]");
        }
    }
}
