package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.io.DefaultResourceLoader;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the data of an application with a workflow. */
class DashboardWorkflowTests {

    private static TestDatabase database;
    private static DashboardApp app;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.start(
                database,
                application -> application
                        .sources(ParcelShop.class)
                        .resourceLoader(
                                new DefaultResourceLoader(new FilteredClassLoader("org.springframework.security"))),
                Stream.concat(
                                Stream.of(ParcelShop.PROPERTIES),
                                Stream.of(
                                        "saga.dashboard.access=read-only",
                                        "saga.runs.concurrency=0",
                                        "saga.runs.overdue-after=1h",
                                        "saga.janitor.modules.shop.stuck-after=10m"))
                        .toArray(String[]::new));
        // Before the parcels: a sweep writes a claim for a parcel in the claim state that has none.
        claim(2, "2 minutes");
        // Longer than half of stuck-after. No sweep may revert this claim yet.
        claim(3, "6 minutes");
        app.sql().sql("""
                INSERT INTO parcel (id, status, version, recipient)
                VALUES (1, 'PACKED', 3, 'secret-recipient'), (2, 'SENDING', 4, 'secret-recipient')""").update();
    }

    private static void claim(int id, String silent) {
        app.sql()
                .sql("""
                INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node, attempt,
                    token, claimed_at, alive_at)
                VALUES ('parcel', :id, 'shipping', 'shop', 'SENDING', 'PACKED', 'clerk', 'node-7', gen_random_uuid(), 7,
                    now() - :silent::interval, now() - :silent::interval)""")
                .param("id", Integer.toString(id))
                .param("silent", silent)
                .update();
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    @Test
    void anEntityShowsItsStateAndNothingElse() {
        JsonNode place = app.read("/saga/api/entity?workflow=shipping&id=1");

        assertThat(place.get("status").asString()).isEqualTo("PACKED");
        assertThat(place.get("version").asInt()).isEqualTo(3);
        assertThat(place.get("claim").isNull()).isTrue();
        assertThat(place.toString()).doesNotContain("secret");
    }

    @Test
    void aClaimedEntityShowsItsClaim() {
        JsonNode place = app.read("/saga/api/entity?workflow=shipping&id=2");

        assertThat(place.get("status").asString()).isEqualTo("SENDING");
        assertThat(place.get("claim").get("node").asString()).isEqualTo("node-7");
        assertThat(place.get("claim").get("operations")).isEmpty();
    }

    @Test
    void unknownEntitiesAndWorkflowsAreNotFound() {
        HttpResponse<String> entity = app.get("/saga/api/entity?workflow=shipping&id=4711");
        HttpResponse<String> workflow = app.get("/saga/api/entity?workflow=none&id=1");

        assertThat(entity.statusCode()).isEqualTo(404);
        assertThat(entity.body()).contains("no entity with this id");
        assertThat(workflow.statusCode()).isEqualTo(404);
        assertThat(workflow.body()).contains("There is no workflow 'none'");
    }

    @Test
    void anIdThatCannotBeReadIsABadRequest() {
        for (String query :
                List.of("workflow=shipping&id=abc", "workflow=shipping", "id=1", "workflow=shipping&id=1&x=2")) {
            HttpResponse<String> response = app.get("/saga/api/entity?" + query);

            assertThat(response.statusCode()).as(query).isEqualTo(400);
        }
        assertThat(app.get("/saga/api/entity?workflow=shipping&id=abc").body()).contains("is not an id of Parcel");
    }

    @Test
    void claimsWithTheLongestSilenceComeFirst() {
        JsonNode items = app.read("/saga/api/claims").get("items");

        assertThat(items.get(0).get("id").asString()).isEqualTo("3");
        assertThat(items.get(1).get("id").asString()).isEqualTo("2");
    }

    @Test
    void aClaimIsInTroubleAfterTheTimeOfItsModule() {
        JsonNode trouble = trouble("claim-silent");

        assertThat(trouble.get("count").asInt()).isEqualTo(1);
        assertThat(trouble.get("examples").get(0).get("id").asString()).isEqualTo("3");
        assertThat(trouble.get("oldest").isNull()).isFalse();
    }

    @Test
    void aScheduleAndARunThatAreLateAreInTrouble() {
        // This node does not declare this schedule, and therefore cannot fire it while the test reads.
        app.sql().sql("""
                INSERT INTO saga_schedule (name, run, spec, missed, missed_window, overlap, next_at, changed_at, changed_by)
                VALUES ('gone', 'report', 'rate PT1H', 'LATEST', 0, 'SKIP', now() - INTERVAL '2 days', now(), 'node-7')""").update();
        app.sql().sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, due_at)
                VALUES (gen_random_uuid(), 'gone', 'pending', 'json', '1', now(), now() - INTERVAL '2 hours')""").update();

        assertThat(trouble("schedule-overdue").get("examples").get(0).get("id").asString())
                .isEqualTo("gone");
        assertThat(trouble("run-overdue").get("examples").get(0).get("id").asString())
                .isEqualTo("gone");
    }

    private static JsonNode trouble(String kind) {
        DashboardSources sources = new DashboardSources(app.beans());
        return JsonMapper.shared()
                .valueToTree(new Troubles(sources, Map.of(), Instant.now())
                        .find().stream()
                                .filter(each -> each.kind().equals(kind))
                                .findFirst()
                                .orElseThrow());
    }

    @Test
    void runsAreCountedByKindAndStateInTheBackground() {
        app.sql().sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, ended_at, due_at, compensating, token)
                SELECT gen_random_uuid(), run, state, 'json', '1', now(), CASE WHEN state IN ('completed', 'failed') THEN now() END,
                    CASE WHEN state = 'running' THEN now() + INTERVAL '1 hour' END, compensating, 1
                FROM (VALUES ('large', 'completed', 10005, false), ('large', 'failed', 2, false), ('large', 'running', 3, false),
                    ('large', 'waiting', 4, true), ('large', 'waiting', 5, false), ('small', 'completed', 1, false))
                    AS v (run, state, many, compensating), generate_series(1, many)""").update();

        JsonNode kinds = Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> app.read("/saga/api/runs?count=true").get("kinds"), items -> !items.isNull());

        assertThat(states(kinds, "large"))
                .isEqualTo(
                        "{\"running\":{\"count\":3,\"capped\":false},\"waiting\":{\"count\":5,\"capped\":false},\"completed\":{\"count\":10000,\"capped\":true},\"failed\":{\"count\":2,\"capped\":false},\"compensating\":{\"count\":4,\"capped\":false}}");
        assertThat(states(kinds, "small")).isEqualTo("{\"completed\":{\"count\":1,\"capped\":false}}");
    }

    private static String states(JsonNode kinds, String run) {
        for (JsonNode kind : kinds) {
            if (kind.get("run").asString().equals(run)) {
                return kind.get("states").toString();
            }
        }
        return "none";
    }
}
