package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the data of an application that does not use Spring Security. */
class DashboardReadingTests {

    private static TestDatabase database;
    private static DashboardApp app;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.withoutSecurity(database);
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    private static RunId waiting(String key) {
        RunId id = app.bean(Runs.class)
                .start(DashboardApp.Charge.class, "card-0815", RunOptions.none().andKey(key))
                .id();
        app.awaitState(id, RunState.WAITING);
        return id;
    }

    /** Inserts a run whose node seems to have died inside the step. */
    private static RunId inDoubt() {
        RunId id = RunId.next();
        app.sql().sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, token)
                VALUES (?::uuid, 'wire', 'in_doubt', 'json', '"account"', clock_timestamp(), 1)""").param(id.toString()).update();
        app.sql().sql("""
                INSERT INTO saga_step (run_id, position, step, call, mark, token, at)
                VALUES (?::uuid, 0, 'wire', 'STEP', 'INTENT', 1, clock_timestamp())""").param(id.toString()).update();
        return id;
    }

    @Test
    void meTellsWhatTheDashboardOffers() {
        JsonNode me = app.read("/saga/api/me");

        assertThat(me.get("access").asString()).isEqualTo("read-only");
        assertThat(me.get("user").isNull()).isTrue();
        assertThat(me.get("now").asString()).endsWith("Z");
        assertThat(me.get("capabilities").toString()).contains("runs", "sagas", "schedules", "queues");
    }

    @Test
    void runsAreListedInPagesAndKeepHostileKeysAsText() {
        RunId first = waiting("<img src=x onerror=alert(1)>");
        RunId second = waiting("a/b;c");

        JsonNode page = app.read("/saga/api/runs?state=waiting&limit=1&count=true");
        JsonNode next = app.read("/saga/api/runs?state=waiting&limit=200&before="
                + page.get("next").asString());

        assertThat(page.get("items")).hasSize(1);
        assertThat(page.get("items").get(0).get("id").asString()).isEqualTo(second.toString());
        assertThat(page.get("count").get("count").asInt()).isGreaterThanOrEqualTo(2);
        assertThat(next.get("items").get(0).get("id").asString()).isEqualTo(first.toString());
        assertThat(next.get("items").get(0).get("key").asString()).isEqualTo("<img src=x onerror=alert(1)>");
        assertThat(next.toString()).doesNotContain("card-0815");
    }

    @Test
    void aKeyFindsTheRunsOfEveryName() {
        RunId run = waiting("order-4711");
        RunId saga = app.bean(Sagas.class)
                .start(
                        DashboardApp.Trip.class,
                        "secret-input",
                        RunOptions.none().andKey("order-4711"))
                .id();

        JsonNode found = app.read("/saga/api/runs?key=order-4711&count=true");
        JsonNode next = app.read("/saga/api/runs?key=order-4711&limit=1&before=" + saga);

        assertThat(found.get("items").values())
                .extracting(each -> each.get("id").asString())
                .containsExactly(saga.toString(), run.toString());
        assertThat(found.get("count").get("count").asInt()).isEqualTo(2);
        assertThat(next.get("items").values())
                .extracting(each -> each.get("id").asString())
                .containsExactly(run.toString());
    }

    @Test
    void aWaitingRunTellsWhichSignalItWaitsFor() {
        JsonNode run = app.read("/saga/api/run?id=" + waiting("waits"));

        assertThat(run.get("waiting").get("code").asString()).isEqualTo("signal");
        assertThat(run.get("waiting").get("what").asString()).isEqualTo("amount");
        assertThat(run.get("saga").isNull()).isTrue();
    }

    @Test
    void aRunInDoubtWaitsForAPersonAndIsTheFirstTrouble() {
        RunId id = inDoubt();

        JsonNode run = app.read("/saga/api/run?id=" + id);

        assertThat(run.get("waiting").get("code").asString()).isEqualTo("person");
        assertThat(run.get("waiting").get("what").asString()).isEqualTo("wire");
        try (DashboardApp fresh = DashboardApp.withoutSecurity(database)) {
            JsonNode overview = fresh.read("/saga/api/overview");
            assertThat(overview.get("troubles").get(0).get("kind").asString()).isEqualTo("run-in-doubt");
            assertThat(overview.get("wellSince").isNull()).isTrue();
            assertThat(overview.get("counts").toString()).contains("in_doubt");
        }
    }

    @Test
    void theOverviewIsReadOnceForAllViewers() {
        JsonNode first = app.read("/saga/api/overview");
        JsonNode second = app.read("/saga/api/overview");

        assertThat(second.get("sampledAt")).isEqualTo(first.get("sampledAt"));
    }

    @Test
    void aFailedSagaShowsItsCauseButNoStoredValue() {
        RunId id = app.bean(Sagas.class)
                .start(DashboardApp.Trip.class, "secret-input")
                .id();
        app.awaitState(id, RunState.FAILED);

        JsonNode run = app.read("/saga/api/run?id=" + id);

        assertThat(run.get("saga").get("cause").get("step").asString()).isEqualTo("pay");
        assertThat(run.get("saga").get("cause").get("error").asString()).contains("<script>alert(1)</script>");
        assertThat(run.get("saga").get("steps")).hasSize(2);
        assertThat(run.toString()).doesNotContain("secret-seat").doesNotContain("secret-input");
    }

    @Test
    void queuesAreListedWithTheirLimits() {
        JsonNode queue = app.read("/saga/api/queues").get("items").get(0);

        assertThat(queue.get("name").asString()).isEqualTo("psp");
        assertThat(queue.get("limit").asInt()).isEqualTo(50);
        assertThat(queue.get("oldestWaiting").asString()).startsWith("PT");
    }

    @Test
    void schedulesAreListed() {
        JsonNode schedule = app.read("/saga/api/schedules").get("items").get(0);

        assertThat(schedule.get("schedule").get("name").asString()).isEqualTo("yearly");
        assertThat(schedule.get("next").get(0).asString()).endsWith("-01-01T00:00:00Z");
    }

    @Test
    void deliveriesAreListedWithTheirListeners() {
        JsonNode deliveries = app.read("/saga/api/deliveries?state=parked&key=a%3Bb");

        assertThat(deliveries.get("items")).isEmpty();
        assertThat(deliveries.get("listeners").isArray()).isTrue();
    }

    @Test
    void badParametersAreRefused() {
        for (String query : new String[] {
            "runs?nonsense=1",
            "runs?limit=0",
            "runs?limit=201",
            "runs?limit=x",
            "runs?state=gone",
            "runs?state=waiting&state=failed",
            "runs?run=a%00b",
            "runs?node=" + "x".repeat(1_001),
            "runs?label=nocolon",
            "runs?before=1",
            "runs?startedFrom=yesterday",
            "runs?startedFrom=%2B500000-01-01T00:00:00Z",
            "runs?startedBefore=-5000-01-01T00:00:00Z&count=true",
            "runs?olderThan=-PT1S",
            "run",
            "run?id=%3Cscript%3E",
            "deliveries?state=lost",
            "overview?run=1",
            "me?x=1"
        }) {
            HttpResponse<String> response = app.get("/saga/api/" + query);

            assertThat(response.statusCode()).as(query).isEqualTo(400);
            assertThat(DashboardApp.header(response, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(JsonMapper.shared().readTree(response.body()).get("code").asString())
                    .isEqualTo("bad-request");
            assertThat(response.body()).doesNotContain("<script>");
        }
    }

    @Test
    void anUnknownRunAndAnUnknownAddressAreNotFound() {
        assertThat(app.get("/saga/api/run?id=" + RunId.next()).statusCode()).isEqualTo(404);
        assertThat(app.get("/saga/api/secrets").body()).contains("not-found");
    }

    @Test
    void anUnchangedAnswerIsNotSentAgain() {
        HttpResponse<String> first = app.get("/saga/api/me");
        String tag = String.valueOf(DashboardApp.header(first, "ETag"));

        assertThat(tag).startsWith("W/\"");
        assertThat(app.get("/saga/api/me", "If-None-Match", tag).statusCode()).isEqualTo(304);
        assertThat(app.get("/saga/api/me", "If-None-Match", "W/\"other\"").statusCode())
                .isEqualTo(200);
    }

    @Test
    void aSlowStatementIsCancelledAndTheConnectionStaysUsable() throws SQLException {
        try (DashboardApp impatient =
                DashboardApp.withoutSecurity(database, "saga.dashboard.statement-timeout=300ms")) {
            try (Connection blocker = database.dataSource().getConnection();
                    Statement statement = blocker.createStatement()) {
                blocker.setAutoCommit(false);
                statement.execute("LOCK TABLE saga_run IN ACCESS EXCLUSIVE MODE");

                HttpResponse<String> response = impatient.get("/saga/api/runs");

                assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
                assertThat(response.body()).contains("timed-out").doesNotContain("Exception");
                blocker.rollback();
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> impatient.get("/saga/api/runs").statusCode() == 200);
        }
    }

    @Test
    @ExpectsErrors("A request to the dashboard failed")
    void aForeignFailureIsLoggedAndAnsweredWithoutDetails() {
        try (DashboardApp broken = DashboardApp.start(
                database,
                application -> application.initializers(context ->
                        ((org.springframework.context.support.GenericApplicationContext) context)
                                .registerBean(SagaAccess.class, () -> (permission, person) -> {
                                    throw new IllegalStateException("secret detail");
                                })),
                "saga.dashboard.access=read-only",
                "spring.autoconfigure.exclude=org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration")) {
            HttpResponse<String> response = broken.get("/saga/api/me");

            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(response.body()).doesNotContain("secret detail");
        }
    }
}
