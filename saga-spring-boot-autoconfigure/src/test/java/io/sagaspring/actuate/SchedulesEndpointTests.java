package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.schedule.Firing;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** Operators see and control schedules over HTTP. Meters and health report on schedules. */
class SchedulesEndpointTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String TICK = "/actuator/sagaschedules/tick";

    private static TestDatabase database;
    private static Shop shop;
    private static Http http;

    @RunSchedule(name = "tick", fixedRate = "1h", overlap = Overlap.ALLOW)
    static final class Tick implements DurableRun<Firing, @Nullable Void> {

        @Override
        public @Nullable Void run(RunContext run, Firing firing) {
            return null;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Scheduled {

        @Bean
        Tick tick() {
            return new Tick();
        }

        @Bean
        Http.Users users() {
            return new Http.Users();
        }
    }

    @BeforeAll
    static void openForWriting() {
        database = TestDatabase.create(MigratedSchema.class);
        shop = open("management.endpoint.sagaschedules.access=unrestricted", "saga.schedules.poll-interval=100ms");
        http = new Http(shop);
        await().atMost(SOON).until(() -> !shop.bean(Schedules.class).list().isEmpty());
    }

    private static Shop open(String... properties) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Scheduled.class),
                Stream.concat(
                                Stream.of(
                                        Http.ON_ANY_PORT,
                                        "management.endpoints.web.exposure.include=*",
                                        "management.endpoint.health.show-details=always"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    private static Http.Answer post(Http client, String path, String body) throws Exception {
        return client.ask("POST", path).json(body).send();
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    private static JsonNode shown() throws Exception {
        return http.get("/actuator/sagaschedules").json().path("schedules").get(0);
    }

    @Test
    void aScheduleIsShownWithItsNextInstants() throws Exception {
        JsonNode schedule = shown();

        assertThat(schedule.path("name").asString()).isEqualTo("tick");
        assertThat(schedule.path("run").asString()).isEqualTo("tick");
        assertThat(schedule.path("times").asString()).isEqualTo("every 1 h");
        assertThat(schedule.path("known").asBoolean()).isTrue();
        assertThat(schedule.path("next").asString()).matches("\\d{4}-.*Z");
        JsonNode detailed = http.get(TICK).json();
        assertThat(detailed.path("next")).hasSize(5);
        assertThat(http.get("/actuator/sagaschedules/tock").status()).isEqualTo(404);
    }

    @Test
    void aPausedScheduleShowsWhoPausedItAndWhy() throws Exception {
        Http ada = http.as("ada");

        assertThat(post(ada, TICK + "/pause", "{\"reason\":\"bank holiday\"}").status())
                .isEqualTo(200);
        assertThat(post(ada, TICK + "/pause", "{\"reason\":\"again\"}").status())
                .isEqualTo(409);

        assertThat(shown().path("paused").asBoolean()).isTrue();
        assertThat(shown().path("pausedBy").asString()).isEqualTo("'ada'");
        assertThat(shown().path("pausedWhy").asString()).isEqualTo("bank holiday");
        assertThat(shown().path("next").isNull()).isTrue();
        assertThat(post(http, TICK + "/resume", "{}").status()).isEqualTo(200);
        assertThat(post(http, TICK + "/resume", "{}").status()).isEqualTo(409);
        assertThat(shown().path("paused").asBoolean()).isFalse();
    }

    @Test
    void aScheduleIsTriggeredAndBackfilled() throws Exception {
        assertThat(post(http, TICK + "/trigger", "{}").json().path("result").asString())
                .isEqualTo("ACCEPTED");
        assertThat(post(
                                http,
                                TICK + "/backfill",
                                "{\"from\":\"2026-01-01T00:00:00Z\",\"to\":\"2026-01-01T05:30:00Z\",\"overlap\":\"allow\"}")
                        .json()
                        .path("message")
                        .asString())
                .isEqualTo(
                        "The schedule 'tick' was backfilled: 6 runs started, 0 firings wait, 0 instants had fired before.");
        assertThat(shop.database()
                        .sql("SELECT count(*) FROM saga_run WHERE start_key LIKE 'schedule:tick@2026-01-01T%'")
                        .query(Long.class)
                        .single())
                .isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tick/stop                   | {}                                                            | 400
            tick/pause                  | {}                                                            | 400
            tick/backfill               | {"from":"yesterday"}                                          | 400
            tick/backfill               | {"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z","overlap":"skip"} | 400
            tick/backfill               | {"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z","overlap":"sometimes"} | 400
            tick/backfill               | {"from":"2026-01-01T00:00:00Z","to":"9026-01-02T00:00:00Z","overlap":"allow"} | 400
            tock/pause                  | {"reason":"why"}                                              | 404
            tock/trigger                | {}                                                            | 404
            """)
    void aRefusedRequestIsAnsweredWithoutTheNameOfAnException(String path, String body, int status) throws Exception {
        Http.Answer answer = post(http, "/actuator/sagaschedules/" + path, body);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text()).doesNotContain("Exception");
    }

    @Test
    void onlyAScheduleWithoutCodeIsRemoved() throws Exception {
        shop.database()
                .sql(
                        "INSERT INTO saga_schedule (name, run, spec, missed, missed_window, overlap, changed_at, changed_by) "
                                + "VALUES ('old', 'gone', 'rate PT1H', 'LATEST', 1, 'SKIP', now(), 'node')")
                .update();

        assertThat(http.send("DELETE", TICK).status()).isEqualTo(409);
        assertThat(http.send("DELETE", "/actuator/sagaschedules/old").status()).isEqualTo(200);
        assertThat(http.send("DELETE", "/actuator/sagaschedules/old").status()).isEqualTo(404);
    }

    @Test
    void firingsAndSkippedInstantsAreCounted() {
        shop.database()
                .sql("UPDATE saga_schedule SET next_at = clock_timestamp() - INTERVAL '3 hours' WHERE name = 'tick'")
                .update();

        MeterRegistry meters = shop.bean(MeterRegistry.class);
        await().atMost(SOON).until(() -> meters.find("saga.schedules.skipped").counter() != null);
        assertThat(meters.get("saga.schedules.skipped")
                        .tags("schedule", "tick", "because", "missed")
                        .counter()
                        .count())
                .isBetween(2.0, 4.0);
        assertThat(meters.get("saga.schedules.lag")
                        .tag("schedule", "tick")
                        .timer()
                        .count())
                .isPositive();
        assertThat(meters.find("saga.schedules.paused").gauge()).isNotNull();
    }

    @Test
    void healthReportsAScheduleThatShouldHaveFired() throws Exception {
        shop.database()
                .sql(
                        "INSERT INTO saga_schedule (name, run, spec, missed, missed_window, overlap, next_at, changed_at, changed_by) "
                                + "VALUES ('left', 'gone', 'rate PT1H', 'LATEST', 1, 'SKIP', now() - INTERVAL '25 hours', now(), 'node')")
                .update();

        JsonNode saga = HealthAnswers.ofSaga(http, "schedules");

        assertThat(saga.path("details").path("schedules").path("tick").asString())
                .matches("\\d{4}-.*Z|paused");
        assertThat(saga.path("details").path("problems").toString())
                .contains("The schedule 'left' should have fired 1 d 1 h ago", "DELETE sagaschedules/left")
                .doesNotContain("'tick'");
        shop.database().sql("DELETE FROM saga_schedule WHERE name = 'left'").update();
    }

    @Test
    void anExposedEndpointIsReadOnlyByDefault() throws Exception {
        try (Shop readOnly = open()) {
            Http client = new Http(readOnly);

            assertThat(client.get("/actuator/sagaschedules").status()).isEqualTo(200);
            assertThat(post(client, TICK + "/trigger", "{}").status()).isIn(404, 405);
        }
    }
}
