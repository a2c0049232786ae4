package io.sagaspring.web;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.definition.Requester;
import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.StepAction;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.TransitionRequest;
import io.sagaspring.workflow.Workflows;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** A web client receives the outcome of a step, no matter how the controller returns it. */
class ProblemsTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            application -> application.web(WebApplicationType.SERVLET).sources(Web.class),
            Http.ON_ANY_PORT,
            "spring.mvc.problemdetails.enabled=true");
    private static final Http http = new Http(shop);

    @Configuration(proxyBeanMethods = false)
    @Import(Parcels.class)
    static class Web {}

    /** A controller that returns outcomes in every supported way. */
    @RestController
    static class Parcels {

        private final Workflows workflows;

        Parcels(Workflows workflows) {
            this.workflows = workflows;
        }

        @PostMapping("/thrown/{id}/{step}")
        TransitionOutcome thrown(
                @PathVariable String id,
                @PathVariable String step,
                @RequestParam(defaultValue = "parcel") String workflow,
                @RequestParam(defaultValue = "admin") String requester) {
            return workflows.run(workflow, id, step, Requester.of(requester)).orElseThrow();
        }

        @PostMapping("/returned/{id}/{step}")
        TransitionOutcome returned(@PathVariable String id, @PathVariable String step) {
            return workflows.run("parcel", id, step, Shop.ADMIN);
        }

        @PostMapping("/entity/{id}/{step}")
        ResponseEntity<TransitionOutcome> entity(@PathVariable String id, @PathVariable String step) {
            return ResponseEntity.ok(returned(id, step));
        }

        @PostMapping("/created/{id}/{step}")
        @ResponseStatus(HttpStatus.CREATED)
        TransitionOutcome created(@PathVariable String id, @PathVariable String step) {
            return returned(id, step);
        }

        @PostMapping("/object/{id}/{step}")
        Object object(@PathVariable String id, @PathVariable String step) {
            return returned(id, step);
        }

        @PostMapping("/callable/{id}/{step}")
        Callable<TransitionOutcome> callable(@PathVariable String id, @PathVariable String step) {
            return () -> returned(id, step);
        }

        @PostMapping("/future/{id}/{step}")
        CompletableFuture<TransitionOutcome> future(@PathVariable String id, @PathVariable String step) {
            return OwnThread.call(() -> returned(id, step));
        }

        @PostMapping("/version/{id}")
        TransitionOutcome version(@PathVariable String id, @RequestParam long version) {
            return workflows.run(
                    TransitionRequest.of("parcel", id, "send", Shop.ADMIN).ofVersion(version));
        }

        @PostMapping("/unclear")
        TransitionOutcome unclear() {
            throw new OutcomeUnknownException("Step 'send' of workflow 'parcel'", new IllegalStateException("secret"));
        }

        @PostMapping("/transactional/{id}")
        @Transactional
        public TransitionOutcome transactional(@PathVariable String id) {
            return returned(id, "send");
        }

        @PostMapping("/other")
        Map<String, String> other() {
            return Map.of("status", "as it was");
        }
    }

    private final long parcel = shop.pack();

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void resetAction() {
        act((entity, context) -> ActionResult.success("on its way"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"thrown", "returned", "entity", "object", "callable", "future"})
    void theResponseToASuccessNamesTheNewStatusOfTheEntity(String way) throws Exception {
        Http.Answer answer = post("/%s/%d/send".formatted(way, parcel));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.contentType()).startsWith("application/json");
        assertThat(answer.text())
                .isEqualTo("{\"outcome\":\"Completed\",\"status\":\"SENT\",\"result\":\"on its way\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"thrown", "returned", "entity", "object", "callable", "future", "created"})
    void aFailedClaimIsA409ForEveryReturnType(String way) throws Exception {
        CompletableFuture<Http.Answer> loser = new CompletableFuture<>();
        act((entity, context) -> {
            loser.complete(post("/%s/%d/send".formatted(way, parcel)));
            return ActionResult.success();
        });

        shop.send(parcel);

        JsonNode problem = problem(loser.get(20, SECONDS), 409, "ClaimFailed", "urn:sagaspring:claim-failed");
        assertThat(problem.path("title").asString()).isEqualTo("Claim failed");
        assertThat(problem.path("detail").asString()).isEqualTo("another operation is already in progress");
        assertThat(problem.path("currentStatus").asString()).isEqualTo("SENDING");
        assertThat(problem.path("instance").asString()).isEqualTo("/%s/%d/send".formatted(way, parcel));
    }

    @ParameterizedTest
    @ValueSource(strings = {"thrown", "returned"})
    void aLostClaimIsA409(String way) throws Exception {
        act((entity, context) -> {
            shop.database().sql("DELETE FROM saga_claim").update();
            return ActionResult.success();
        });

        JsonNode problem =
                problem(post("/%s/%d/send".formatted(way, parcel)), 409, "ClaimLost", "urn:sagaspring:claim-lost");
        assertThat(problem.path("detail").asString()).contains("Nothing that it wrote was kept");
    }

    @Test
    void aRequestForAnotherVersionIsAConflict() throws Exception {
        problem(post("/version/%d?version=7".formatted(parcel)), 409, "Conflict", "urn:sagaspring:conflict");
    }

    @ParameterizedTest
    @ValueSource(strings = {"thrown", "returned"})
    void theProblemForAStepThatIsNotApplicableNamesThePossibleSteps(String way) throws Exception {
        JsonNode problem = problem(
                post("/%s/%d/lose".formatted(way, parcel)), 409, "NotApplicable", "urn:sagaspring:not-applicable");

        assertThat(problem.path("currentStatus").asString()).isEqualTo("PACKED");
        assertThat(problem.path("possibleSteps").toString()).isEqualTo("[\"send\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"thrown", "returned"})
    void aRejectedStepIsA422ThatListsTheMessages(String way) throws Exception {
        act((entity, context) -> ActionResult.invalid("too heavy", "no address"));

        JsonNode problem =
                problem(post("/%s/%d/send".formatted(way, parcel)), 422, "Rejected", "urn:sagaspring:rejected");
        assertThat(problem.path("messages").toString()).isEqualTo("[\"too heavy\",\"no address\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"thrown", "returned"})
    void aFailedStepIsA422ThatNamesTheReason(String way) throws Exception {
        act((entity, context) -> ActionResult.failure("no courier"));

        JsonNode problem = problem(post("/%s/%d/send".formatted(way, parcel)), 422, "Failed", "urn:sagaspring:failed");
        assertThat(problem.path("detail").asString()).isEqualTo("no courier");
    }

    @Test
    void anUnknownNameIsNotFoundAndNoExistingNameIsShown() throws Exception {
        JsonNode workflow = problem(
                post("/thrown/%d/send?workflow=parcels".formatted(parcel)),
                404,
                "UnknownWorkflow",
                "urn:sagaspring:unknown-workflow");
        JsonNode step =
                problem(post("/thrown/%d/sent".formatted(parcel)), 404, "UnknownStep", "urn:sagaspring:unknown-step");
        problem(post("/thrown/4711/send"), 404, "UnknownEntity", "urn:sagaspring:unknown-entity");
        problem(post("/thrown/x/send"), 404, "UnknownEntity", "urn:sagaspring:unknown-entity");

        assertThat(workflow.path("detail").asString()).isEqualTo("There is no such workflow.");
        assertThat(step.path("detail").asString()).isEqualTo("There is no such step.");
    }

    @Test
    void anUnknownRequesterIsABadRequest() throws Exception {
        JsonNode problem = problem(
                post("/thrown/%d/send?requester=admn".formatted(parcel)),
                400,
                "UnknownRequester",
                "urn:sagaspring:unknown-requester");

        assertThat(problem.toString()).doesNotContain("system");
    }

    @Test
    void anUnknownOutcomeIsA503WithTheAdviceToReadAgain() throws Exception {
        Http.Answer answer = post("/unclear");

        problem(answer, 503, "OutcomeUnknown", "urn:sagaspring:outcome-unknown");
        assertThat(answer.text()).doesNotContain("secret").contains("Read the data again");
    }

    /** The client cannot correct a mistake in the application's code, so no problem describes the mistake. */
    @Test
    void aStepInsideATransactionIsAServerError() throws Exception {
        assertThat(post("/transactional/%d".formatted(parcel)).status()).isEqualTo(500);
    }

    @Test
    void theHttpStatusThatAControllerSetsAppliesOnlyToASuccess() throws Exception {
        assertThat(post("/created/%d/send".formatted(parcel)).status()).isEqualTo(201);
        assertThat(post("/created/%d/send".formatted(parcel)).status()).isEqualTo(409);
    }

    @Test
    void theResponseToARefusalIsAProblemWhateverTheClientAccepts() throws Exception {
        Http.Answer thrown = http.send("POST", "/thrown/%d/lose".formatted(parcel), "text/html");
        Http.Answer returned =
                http.send("POST", "/returned/%d/lose".formatted(parcel), "application/problem+json, application/json");

        problem(thrown, 409, "NotApplicable", "urn:sagaspring:not-applicable");
        problem(returned, 409, "NotApplicable", "urn:sagaspring:not-applicable");
    }

    @Test
    void otherResponsesAreNotChanged() throws Exception {
        assertThat(post("/other").text()).isEqualTo("{\"status\":\"as it was\"}");
    }

    private static void act(StepAction<Parcel> action) {
        shop.script().action = action;
    }

    private static Http.Answer post(String path) throws Exception {
        return http.send("POST", path);
    }

    private static JsonNode problem(Http.Answer answer, int status, String outcome, String type) {
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        JsonNode problem = answer.json();
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("outcome").asString()).isEqualTo(outcome);
        assertThat(problem.path("type").asString()).isEqualTo(type);
        assertThat(problem.path("title").asString()).isNotEmpty();
        assertThat(problem.path("detail").asString()).isNotEmpty();
        return problem;
    }
}
