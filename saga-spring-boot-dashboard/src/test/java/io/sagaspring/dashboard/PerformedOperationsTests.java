package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.operations.Operator;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the operations of the page do, and which of them the server offers. */
class PerformedOperationsTests {

    private static TestDatabase database;

    @BeforeAll
    static void create() {
        database = TestDatabase.create();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Test
    void anOperationIsDoneRefusedOrUnknownAndAudited() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, OperatingTests.UNRESTRICTED)) {
            RunId id = app.bean(Runs.class)
                    .start(DashboardApp.Charge.class, "card")
                    .id();
            app.awaitState(id, RunState.WAITING);
            assertThat(app.read("/saga/api/run?id=" + id).at("/run/operations").toString())
                    .isEqualTo("[\"run.signal\",\"run.cancel\"]");
            String cancel =
                    "{\"operation\":\"run.cancel\",\"id\":\"%s\",\"reason\":\"the customer called\"}".formatted(id);

            HttpResponse<String> done = app.post(OperatingTests.OPERATIONS, cancel, OperatingTests.GUARD);

            assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
            assertThat(done.body()).contains("\"result\":\"ACCEPTED\"");
            app.awaitState(id, RunState.CANCELLED);
            assertThat(app.post(OperatingTests.OPERATIONS, cancel, OperatingTests.GUARD)
                            .statusCode())
                    .isEqualTo(409);
            assertThat(app.post(OperatingTests.OPERATIONS, OperatingTests.run("run.retry", ""), OperatingTests.GUARD)
                            .statusCode())
                    .isEqualTo(404);
            assertThat(app.read("/saga/api/run?id=" + id).at("/run/operations").size())
                    .isZero();
            assertThat(OperatingTests.audited(app))
                    .extracting(each -> each.operation().outcome().text())
                    .startsWith("unknown", "refused", "accepted");
            assertThat(OperatingTests.audited(app).get(0).operation().operator())
                    .isEqualTo(new Operator(null, Operator.Access.DASHBOARD));
            assertThat(app.read("/saga/api/run?id=" + id).at("/history").values())
                    .extracting(each -> each.get("outcome").asString())
                    .containsExactly("refused", "accepted");
            assertThat(app.read("/saga/api/audit?kind=run&target=" + id)
                            .at("/items/1/reason")
                            .asString())
                    .isEqualTo("the customer called");
        }
    }

    @Test
    void aPersonSignalsARunAndCallsBackForASaga() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, OperatingTests.UNRESTRICTED)) {
            RunId charge = app.bean(Runs.class)
                    .start(DashboardApp.Charge.class, "card")
                    .id();
            RunId parcel = app.bean(Sagas.class)
                    .start(DashboardApp.Parcel.class, "parcel")
                    .id();
            app.awaitState(charge, RunState.WAITING);
            app.awaitState(parcel, RunState.WAITING);
            JsonNode found = app.read("/saga/api/run?id=" + parcel);
            assertThat(found.at("/waiting/code").asString()).isEqualTo("callback");
            assertThat(found.at("/waiting/what").asString()).isEqualTo("ship");
            assertThat(found.at("/run/operations").toString())
                    .isEqualTo("[\"callback.complete\",\"callback.fail\",\"run.cancel\"]");

            accepted(app, of("run.signal", charge, ",\"signal\":\"amount\",\"key\":\"k\",\"payload\":\"\\\"7\\\"\""));
            accepted(app, of("callback.fail", parcel, ",\"step\":\"ship\",\"reason\":\"lost\""));
            app.awaitAttempt(parcel, "ship", 2);
            accepted(app, of("callback.complete", parcel, ",\"step\":\"ship\",\"result\":\"42\""));
            app.awaitState(charge, RunState.COMPLETED);
            app.awaitSignal(parcel, "approval");

            assertThat(app.read("/saga/api/run?id=" + parcel)
                            .at("/run/operations")
                            .toString())
                    .isEqualTo("[\"run.signal\",\"run.cancel\"]");
            accepted(app, of("run.signal", parcel, ",\"signal\":\"approval\",\"payload\":\"true\""));
            app.awaitState(parcel, RunState.COMPLETED);
        }
    }

    private static String of(String operation, RunId id, String more) {
        return "{\"operation\":\"%s\",\"id\":\"%s\"%s}".formatted(operation, id, more);
    }

    private static void accepted(DashboardApp app, String body) {
        HttpResponse<String> answer = app.post(OperatingTests.OPERATIONS, body, OperatingTests.GUARD);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void aPausedQueueAndSchedulesOfferTheOtherOperation() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, OperatingTests.UNRESTRICTED)) {
            assertThat(app.read("/saga/api/queues").at("/items/0/operations/0").asString())
                    .isEqualTo("queue.pause");

            assertThat(app.post(
                                    OperatingTests.OPERATIONS,
                                    "{\"operation\":\"queue.pause\",\"name\":\"psp\",\"reason\":\"why\"}",
                                    OperatingTests.GUARD)
                            .statusCode())
                    .isEqualTo(200);

            assertThat(app.read("/saga/api/queues").at("/items/0/operations/0").asString())
                    .isEqualTo("queue.resume");
            assertThat(app.post(
                                    OperatingTests.OPERATIONS,
                                    "{\"operation\":\"queue.resume\",\"name\":\"psp\"}",
                                    OperatingTests.GUARD)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(app.post(
                                    OperatingTests.OPERATIONS,
                                    "{\"operation\":\"queue.limits\",\"name\":\"psp\",\"limit\":\"-1\",\"reason\":\"why\"}",
                                    OperatingTests.GUARD)
                            .body())
                    .contains("\"code\":\"bad-request\"", "at-once=-1 lets nothing begin");
        }
    }

    @Test
    void aKeyWithoutTheNameOfItsCodeSelectsNoRunsForABulkOperation() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, OperatingTests.UNRESTRICTED)) {
            RunId other = app.bean(Runs.class)
                    .start(DashboardApp.Charge.class, "card")
                    .id();
            app.awaitState(other, RunState.WAITING);
            String query = "state=waiting&key=order-4711";

            HttpResponse<String> preview = app.get("/saga/api/bulk?operation=bulk.cancel&" + query);
            HttpResponse<String> done = app.post(
                    OperatingTests.OPERATIONS,
                    "{\"operation\":\"bulk.cancel\",\"query\":\"%s\",\"latest\":\"%s\",\"count\":\"1\"}"
                            .formatted(query, other),
                    OperatingTests.GUARD);

            assertThat(preview.statusCode()).isEqualTo(400);
            assertThat(done.statusCode()).isEqualTo(400);
            assertThat(done.body()).contains("also needs the filter 'run'");
            assertThat(app.read("/saga/api/run?id=" + other).at("/run/state").asString())
                    .isEqualToIgnoringCase("waiting");
        }
    }

    @Test
    void allRunsOfAQueryAreCancelledAfterAPreview() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, OperatingTests.UNRESTRICTED)) {
            List<RunId> started = Stream.of("a", "b", "c")
                    .map(card -> app.bean(Runs.class)
                            .start(DashboardApp.Charge.class, card, RunOptions.label("bulk", "a+b&c"))
                            .id())
                    .toList();
            started.forEach(id -> app.awaitState(id, RunState.WAITING));
            String query = "state=waiting&label=bulk%3Aa%2Bb%26c";

            JsonNode preview = app.read("/saga/api/bulk?operation=bulk.cancel&limit=1&" + query);

            assertThat(preview.at("/count/count").asInt()).isEqualTo(3);
            assertThat(preview.at("/examples").size()).isEqualTo(3);
            // Runs that are started within a millisecond have ids in any order.
            RunId latest = Collections.max(started);
            assertThat(preview.at("/latest").asString()).isEqualTo(latest.toString());
            HttpResponse<String> answer = app.post(
                    OperatingTests.OPERATIONS,
                    "{\"operation\":\"bulk.cancel\",\"query\":\"%s\",\"latest\":\"%s\",\"count\":3,\"reason\":\"why\"}"
                            .formatted(query, latest),
                    OperatingTests.GUARD);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.body()).contains("\"done\":3", "\"refused\":0", "\"next\":null");
            started.forEach(id -> app.awaitState(id, RunState.CANCELLED));
            assertThat(app.get("/saga/api/bulk?operation=bulk.retry&state=waiting")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.get("/saga/api/bulk?operation=bulk.stop&state=waiting")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.post(
                                    OperatingTests.OPERATIONS,
                                    OperatingTests.bulk("bulk.cancel", "state=waiting&unknown=1"),
                                    OperatingTests.GUARD)
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.post(
                                    OperatingTests.OPERATIONS,
                                    OperatingTests.bulk("bulk.cancel", "state=%zz"),
                                    OperatingTests.GUARD)
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void aPausedKindIsShownAndOffersToBeResumed() {
        try (DashboardApp app = DashboardApp.withoutSecurity(database, OperatingTests.UNRESTRICTED)) {
            accepted(app, "{\"operation\":\"kind.pause\",\"name\":\"parcel\",\"reason\":\"why\"}");

            JsonNode kinds = app.read("/saga/api/kinds").at("/items");
            assertThat(kinds.findValuesAsString("name")).contains("charge", "parcel");
            assertThat(kinds.valueStream()
                            .filter(each -> each.path("name").asString().equals("parcel"))
                            .map(JsonNode::toString))
                    .singleElement()
                    .asString()
                    .contains("\"why\":\"why\"", "[\"kind.resume\"]");
            assertThat(app.read("/saga/api/overview").toString()).contains("\"kind\":\"kind-paused\"");
            accepted(app, "{\"operation\":\"kind.resume\",\"name\":\"parcel\"}");
            assertThat(app.read("/saga/api/kinds").toString()).doesNotContain("kind.resume");
        }
    }
}
