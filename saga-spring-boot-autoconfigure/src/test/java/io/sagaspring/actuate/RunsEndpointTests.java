package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Sagas;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Operators see runs over HTTP, and a bad request is refused. */
class RunsEndpointTests extends OperatedRuns {

    @Test
    void aRunIsShownWithItsStepsButWithoutItsInputAndSignals() throws Exception {
        RunId id = failed();

        Http.Answer answer = http.get("/actuator/sagaruns/" + id);

        JsonNode run = answer.json();
        assertThat(run.path("id").asString()).isEqualTo(id.toString());
        assertThat(run.path("run").asString()).isEqualTo("charge");
        assertThat(run.path("state").asString()).isEqualTo("failed");
        assertThat(run.path("error").asString()).contains("charge", "no such bank");
        assertThat(run.path("startedAt").asString()).matches("\\d{4}-.*Z");
        assertThat(run.path("steps")).hasSize(2).allSatisfy(step -> {
            assertThat(step.path("step").asString()).isEqualTo("amount");
            assertThat(step.path("kind").asString()).isEqualTo("signal");
        });
        assertThat(answer.text()).doesNotContain("card-0815").doesNotContain("twelve euros");
    }

    @Test
    void runsAreListedByNameAndStateAndInPages() throws Exception {
        RunId older = waiting(shop);
        RunId later = waiting(shop);

        assertThat(http.get("/actuator/sagaruns?run=charge&state=waiting&limit=1")
                        .json()
                        .path("runs"))
                .singleElement()
                .satisfies(run -> assertThat(run.path("id").asString()).isEqualTo(later.toString()));
        assertThat(http.get("/actuator/sagaruns?state=waiting&limit=1&before=" + later)
                        .json()
                        .path("runs"))
                .singleElement()
                .satisfies(run -> assertThat(run.path("id").asString()).isEqualTo(older.toString()));
        assertThat(http.get("/actuator/sagaruns?run=another").json().path("runs"))
                .isEmpty();
    }

    @Test
    void aNameOrAnIdThatNoRunCanHaveIsABadRequest() throws Exception {
        assertThat(http.get("/actuator/sagaruns?run=%00").status()).isEqualTo(400);
        assertThat(http.get("/actuator/sagaruns?state=%00").status()).isEqualTo(400);
        assertThat(http.get("/actuator/sagaruns?before=%00").status()).isEqualTo(400);
        assertThat(http.get("/actuator/sagaruns?limit=2147483647").status()).isEqualTo(200);
    }

    @Test
    void runsAreFoundByKeyAndByWaitingTime() throws Exception {
        RunId id = shop.bean(Runs.class)
                .start(Charge.class, "card", RunOptions.withKey("order-7"))
                .id();
        awaitState(id, RunState.WAITING);

        assertThat(http.get("/actuator/sagaruns?run=charge&key=order-7").json().path("runs"))
                .singleElement()
                .satisfies(run -> assertThat(run.path("id").asString()).isEqualTo(id.toString()));
        assertThat(http.get("/actuator/sagaruns?key=order-7").status()).isEqualTo(400);
        assertThat(http.get("/actuator/sagaruns?olderThan=soon").status()).isEqualTo(400);
        assertThat(http.get("/actuator/sagaruns?state=waiting&olderThan=PT10M")
                        .json()
                        .path("runs"))
                .isEmpty();
        shop.database()
                .sql("UPDATE saga_run SET since = since - INTERVAL '1 hour' WHERE start_key = 'order-7'")
                .update();
        assertThat(http.get("/actuator/sagaruns?state=waiting&olderThan=PT10M")
                        .json()
                        .path("runs"))
                .singleElement()
                .satisfies(run -> assertThat(run.path("key").asString()).isEqualTo("order-7"));
    }

    @Test
    void runsAreFoundAndCountedByLabelNodeAndTime() throws Exception {
        RunId id = shop.bean(Runs.class)
                .start(
                        Charge.class,
                        "card",
                        RunOptions.label("customer", "7:x, y").andLabel("country", "de"))
                .id();
        awaitState(id, RunState.WAITING);
        RunId other = shop.bean(Runs.class)
                .start(Charge.class, "card", RunOptions.label("country", "de"))
                .id();
        awaitState(other, RunState.WAITING);

        assertThat(ids("?label=customer:7:x,%20y")).containsExactly(id.toString());
        assertThat(ids("?label=country:de")).containsExactlyInAnyOrder(other.toString(), id.toString());
        assertThat(ids("?label=country:de&label=customer:7:x,%20y")).containsExactly(id.toString());
        assertThat(ids("?label=country:de&label=customer:8")).isEmpty();
        assertThat(ids("?label=country:de&state=failed")).isEmpty();
        assertThat(ids("?label=country:de&node=another")).isEmpty();
        assertThat(ids("?label=country:de&startedFrom=2026-01-01T00:00:00Z")).hasSize(2);
        assertThat(ids("?label=country:de&startedBefore=2026-01-01T00:00:00Z")).isEmpty();
        JsonNode counted = http.get("/actuator/sagaruns?label=country:de&limit=1&count=true")
                .json();
        assertThat(counted.path("runs")).hasSize(1);
        assertThat(counted.path("count").path("number").asInt()).isEqualTo(2);
        assertThat(counted.path("count").path("isMore").asBoolean(true)).isFalse();
        assertThat(http.get("/actuator/sagaruns/" + id)
                        .json()
                        .path("labels")
                        .path("customer")
                        .asString())
                .isEqualTo("7:x, y");
    }

    private List<String> ids(String query) throws Exception {
        List<String> ids = new ArrayList<>();
        http.get("/actuator/sagaruns" + query)
                .json()
                .path("runs")
                .forEach(run -> ids.add(run.path("id").asString()));
        return ids;
    }

    @Test
    void aFailedSagaShowsItsFirstCauseWithTheApplicationsStackFrames() throws Exception {
        RunId id = shop.bean(Sagas.class).start(Trip.class, "rome").id();
        awaitState(id, RunState.FAILED);

        Http.Answer answer = http.get("/actuator/sagaruns/" + id);

        JsonNode run = answer.json();
        assertThat(run.path("state").asString()).isEqualTo("failed");
        JsonNode cause = run.path("cause");
        assertThat(cause.path("step").asString()).isEqualTo("pay");
        assertThat(cause.path("error").asString()).contains("IllegalArgumentException", "it was not paid");
        assertThat(cause.path("trace").toString())
                .contains("io.sagaspring.shop.Bank.pay(Bank.java:", "Caused by: ", "no such bank")
                .contains("io.sagaspring.shop.Bank.connect(Bank.java:");
        assertThat(cause.path("at").asString()).matches("\\d{4}-.*Z");
        assertThat(run.path("sagaSteps"))
                .extracting(step ->
                        step.path("name").asString() + " " + step.path("state").asString())
                .containsExactly("book compensated", "pay failed");
        assertThat(run.path("sagaSteps").get(1).path("trace")).isNotEmpty();
        assertThat(answer.text()).doesNotContain("secret-seat");
    }

    @Test
    void aFailedRunShowsItsFirstCauseWithTheApplicationsStackFrames() throws Exception {
        JsonNode cause = http.get("/actuator/sagaruns/" + failed()).json().path("cause");

        assertThat(cause.path("error").asString()).contains("charge");
        assertThat(cause.path("trace").toString())
                .contains("no such bank", "io.sagaspring.shop.Bank.connect(Bank.java:");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GET|?state=lost||'lost'|lower case",
                "GET|?olderThan=soon||'soon'|PT10M",
                "GET|?olderThan=-PT1M||'-PT1M'|PT10M",
                "GET|?before=7||'7'|the id as sagaruns shows it",
                "GET|?key=order-8||'order-8'|Give the name in the parameter 'run'",
                "GET|?label=customer||'customer'|with a colon between them",
                "GET|?label=1st:x||'1st'|Use a letter",
                "GET|?label=customer:||'customer'|Give it a value",
                "GET|?startedFrom=today||'today'|a time in UTC",
                "GET|?startedBefore=12:00||'12:00'|a time in UTC",
                "GET|?node=%00||NUL|Remove that character",
                "GET|/7||'7'|the id as sagaruns shows it",
                "POST|/7||'7'|the id as sagaruns shows it",
                "DELETE|/7||'7'|the id as sagaruns shows it",
                "POST|/ID/perhaps|{}|'perhaps'|done, not-done, give-up",
                "POST|/ID/done|{\"step\":\"wire\"}|result|\\\"null\\\"",
                "POST|/ID/done|{\"step\":\"wire\",\"result\":\"paid\"}|line 1, column 1|a string of JSON",
                "POST|/ID/done|{\"result\":\"1\"}|'step'|as sagaruns shows it",
                "POST|/ID/not-done|{\"step\":\"wire\",\"result\":\"1\"}|'result'|Leave the field out",
                "POST|/ID/give-up|{\"step\":\"wire\"}|'step'|Leave the field out",
            })
    void aBadRequestIsAProblemThatNamesTheValueAndTheRemedy(
            String method, String path, @Nullable String json, String value, String remedy) throws Exception {
        RunId id = inDoubt();
        String before = shop.bean(Runs.class).find(id).toString();
        String at = "/actuator/sagaruns" + path.replace("ID", id.toString());

        Http.Answer answer = json == null ? http.send(method, at) : http.post(at, json);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.json().path("status").asInt()).isEqualTo(400);
        assertThat(answer.text()).contains(value, remedy);
        assertThat(shop.bean(Runs.class).find(id).toString()).isEqualTo(before);
    }

    @Test
    void anUnknownRunIsNotFound() throws Exception {
        RunId none = RunId.next();

        assertThat(Stream.of("GET", "POST", "DELETE"))
                .allSatisfy(method -> assertThat(
                                http.send(method, "/actuator/sagaruns/" + none).status())
                        .isEqualTo(404));
    }

    @Test
    void aMalformedIdOrFilterIsABadRequest() throws Exception {
        assertThat(Stream.of("/actuator/sagaruns/7", "/actuator/sagaruns?before=7", "/actuator/sagaruns?state=lost"))
                .allSatisfy(path -> assertThat(http.get(path).status()).isEqualTo(400));
        assertThat(http.send("DELETE", "/actuator/sagaruns/7").status()).isEqualTo(400);
    }

    @Test
    void anExposedEndpointIsReadOnlyByDefault() throws Exception {
        RunId id = waiting(shop);
        try (Shop reading = open()) {
            Http other = new Http(reading);

            assertThat(other.get("/actuator/sagaruns/" + id).status()).isEqualTo(200);
            assertThat(other.send("POST", "/actuator/sagaruns/" + id).status()).isEqualTo(405);
            assertThat(other.send("DELETE", "/actuator/sagaruns/" + id).status())
                    .isEqualTo(405);
        }
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().state()).isEqualTo(RunState.WAITING);
    }
}
