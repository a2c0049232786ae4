package io.sagaspring.sample.seed;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.sample.Api;
import io.sagaspring.sample.SampleNodes;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import tools.jackson.databind.JsonNode;

/** The data that the sample has in the first trial. */
class SeedTests {

    private static final String[] TRIAL = {
        "--spring.profiles.active=try",
        "--saga.runs.poll-interval=50ms",
        "--saga.janitor.interval=1h",
        "--saga.dashboard.statement-timeout=1m"
    };

    /** A receipt is a run of its own, so the three completed checkouts count twice. */
    private static final Map<String, Integer> STATES = Map.of(
            "completed", 14,
            "waiting", 2,
            "failed", 2,
            "in_doubt", 1,
            "parked", 1,
            "compensation_failed", 1);

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    private static Map<String, Integer> states(Api api) {
        Map<String, Integer> found = new TreeMap<>();
        for (JsonNode each : api.get("/saga/api/runs?limit=200").body().path("items")) {
            found.merge(each.path("state").asString(), 1, Integer::sum);
        }
        return found;
    }

    private static List<String> troubles(Api api) {
        return api.get("/saga/api/overview")
                .body()
                .path("troubles")
                .valueStream()
                .map(each -> each.path("kind").asString())
                .toList();
    }

    @Test
    @ExpectsErrors({"is in doubt", "could not be compensated", "Parked run", "failed"})
    void theTrialShowsEachTroubleAndARestartAddsNothing() {
        try (ConfigurableApplicationContext first = SampleNodes.start(database, TRIAL)) {
            Api api = SampleNodes.api(first);
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(states(api)).isEqualTo(STATES));
            await().atMost(20, SECONDS)
                    .untilAsserted(() -> assertThat(troubles(api))
                            .containsExactly(
                                    "run-in-doubt",
                                    "run-compensation-failed",
                                    "run-parked",
                                    "claim-silent",
                                    "run-failed"));
        }
        try (ConfigurableApplicationContext again = SampleNodes.start(database, TRIAL)) {
            assertThat(states(SampleNodes.api(again))).isEqualTo(STATES);
        }
    }

    @Test
    void withoutTheProfileTheSampleStartsEmpty() {
        try (ConfigurableApplicationContext sample = SampleNodes.start(database)) {
            Api api = SampleNodes.api(sample);

            assertThat(states(api)).isEmpty();
            assertThat(api.get("/api/effects").body()).isEmpty();
            assertThat(sample.getBeansOfType(Seed.class)).isEmpty();
        }
    }
}
