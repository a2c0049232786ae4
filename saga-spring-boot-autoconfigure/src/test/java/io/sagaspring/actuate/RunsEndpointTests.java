package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.RunView.StepView;
import io.sagaspring.run.Runs;
import io.sagaspring.run.Step;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Bank;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** What operators see of runs and may do to them, over HTTP. */
@ExtendWith(OutputCaptureExtension.class)
class RunsEndpointTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = open("management.endpoint.sagaruns.access=unrestricted");
    private static final Http http = new Http(shop);

    /** Charges as soon as it is told the amount. */
    static final class Charge implements DurableRun<String, String> {

        volatile boolean broken;

        @Override
        public String run(RunContext run, String card) {
            String amount = run.awaitSignal("amount", String.class);
            return run.step("charge", String.class, () -> {
                if (broken) {
                    return Bank.connect();
                }
                return card + amount;
            });
        }
    }

    /** Wires money, which must not be done twice. */
    static final class Wire implements DurableRun<String, String> {

        static final Step STEP = Step.of("wire").notRepeatable();

        @Override
        public String run(RunContext run, String account) {
            return "%s:%s".formatted(account, run.step(STEP, String.class, () -> "never told"));
        }
    }

    /** A saga whose second step never succeeds. */
    static final class Trip implements Saga<String> {

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("book", context -> "secret-seat").compensate(context -> {});
            saga.step("pay", context -> Bank.pay());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Charging {

        @Bean
        Wire wire() {
            return new Wire();
        }

        @Bean
        Trip trip() {
            return new Trip();
        }

        @Bean
        Http.Users users() {
            return new Http.Users();
        }

        @Bean
        Charge charge() {
            return new Charge();
        }
    }

    private static Shop open(String... properties) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Charging.class),
                Stream.concat(
                                Stream.of(Http.ON_ANY_PORT, "management.endpoints.web.exposure.include=*"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void mend() {
        shop.bean(Charge.class).broken = false;
    }

    private static RunId waiting(Shop shop) {
        RunId id = shop.bean(Runs.class).start(Charge.class, "card-0815").id();
        awaitState(id, RunState.WAITING);
        return id;
    }

    private static void awaitState(RunId id, RunState state) {
        await().atMost(SOON)
                .until(() -> shop.bean(Runs.class).find(id).orElseThrow().state() == state);
    }

    private static RunId failed() {
        shop.bean(Charge.class).broken = true;
        RunId id = waiting(shop);
        shop.bean(Runs.class).signal(id, "amount", "twelve euros");
        awaitState(id, RunState.FAILED);
        return id;
    }

    @Test
    void aRunIsShownWithItsStepsAndWithoutWhatItWasGiven() throws Exception {
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
    void runsAreListedByNameAndStateAndPageByPage() throws Exception {
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
    void runsAreFoundByTheirKeyAndByHowLongTheyWait() throws Exception {
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
    void aFailedRunGoesOnWhenItIsRetried() throws Exception {
        RunId id = failed();
        shop.bean(Charge.class).broken = false;

        Http.Answer answer = http.send("POST", "/actuator/sagaruns/" + id);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("result").asString()).isEqualTo("ACCEPTED");
        awaitState(id, RunState.COMPLETED);
        Http.Answer again = http.send("POST", "/actuator/sagaruns/" + id);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("message").asString()).contains(id.toString(), "is completed");
    }

    @Test
    void aCancelledRunStopsAndSaysThatAnOperatorCancelledIt() throws Exception {
        RunId id = waiting(shop);

        assertThat(http.send("DELETE", "/actuator/sagaruns/" + id).status()).isEqualTo(200);

        awaitState(id, RunState.CANCELLED);
        assertThat(http.get("/actuator/sagaruns/" + id)
                        .json()
                        .path("cancelReason")
                        .asString())
                .isEqualTo("cancelled by an operator");
        Http.Answer again = http.send("DELETE", "/actuator/sagaruns/" + id);
        assertThat(again.status()).isEqualTo(409);
        assertThat(again.json().path("message").asString()).contains("is cancelled", "It has already ended");
    }

    @Test
    void aSagaThatFailedShowsItsFirstCauseWithTheApplicationsFrames() throws Exception {
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
    void aRunThatFailedShowsItsFirstCauseWithTheApplicationsFrames() throws Exception {
        JsonNode cause = http.get("/actuator/sagaruns/" + failed()).json().path("cause");

        assertThat(cause.path("error").asString()).contains("charge");
        assertThat(cause.path("trace").toString())
                .contains("no such bank", "io.sagaspring.shop.Bank.connect(Bank.java:");
    }

    /** As a node leaves it that dies inside the step. */
    private static RunId inDoubt() {
        RunId id = RunId.next();
        shop.database().sql("""
                INSERT INTO saga_run (id, run, state, format, input, started_at, token)
                VALUES (?::uuid, 'wire', 'in_doubt', 'json', '"account"', clock_timestamp(), 1)""").param(id.toString()).update();
        shop.database().sql("""
                INSERT INTO saga_step (run_id, position, step, call, mark, token, at)
                VALUES (?::uuid, 0, 'wire', 'STEP', 'INTENT', 1, clock_timestamp())""").param(id.toString()).update();
        return id;
    }

    @Test
    void aStepInDoubtIsResolvedAsDoneByWhoeverSaysSo(CapturedOutput output) throws Exception {
        RunId id = inDoubt();

        Http.Answer answer = http.as("ada")
                .post(
                        "/actuator/sagaruns/%s/done".formatted(id),
                        "{\"step\":\"wire\",\"result\":\"\\\"receipt-7\\\"\"}");

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        awaitState(id, RunState.COMPLETED);
        assertThat(shop.bean(Runs.class).handle(id, Wire.class).await(SOON)).isEqualTo("account:receipt-7");
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().steps())
                .extracting(StepView::mark, StepView::detail)
                .containsExactly(tuple("intent", null), tuple("done", "resolved by 'ada'"));
        assertThat(output).contains("Step 'wire' of run %s was resolved as done by 'ada'".formatted(id));
        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(id), "{\"step\":\"wire\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void aStepInDoubtIsResolvedAsNotDone() throws Exception {
        RunId id = inDoubt();

        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(id), "{\"step\":\"another\"}")
                        .status())
                .isEqualTo(409);
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().state()).isEqualTo(RunState.IN_DOUBT);
        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(id), "{\"step\":\"wire\"}")
                        .status())
                .isEqualTo(200);

        awaitState(id, RunState.COMPLETED);
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().steps())
                .extracting(StepView::detail)
                .contains("resolved by an operator");
    }

    @Test
    void aRunWhoseCodeIsGoneIsGivenUp(CapturedOutput output) throws Exception {
        RunId id = waiting(shop);
        shop.database()
                .sql("UPDATE saga_run SET run = 'gone' WHERE id = ?::uuid")
                .param(id.toString())
                .update();

        Http.Answer answer = http.as("ada").post("/actuator/sagaruns/%s/give-up".formatted(id), "{}");

        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        JsonNode run = http.get("/actuator/sagaruns/" + id).json();
        assertThat(run.path("state").asString()).isEqualTo("cancelled");
        assertThat(run.path("cancelReason").asString()).isEqualTo("given up by 'ada'");
        assertThat(run.path("error").asString())
                .isEqualTo("given up by 'ada' while it was waiting. Nothing was compensated.");
        assertThat(output).contains("Run %s of 'gone' was given up by 'ada'".formatted(id));
        assertThat(http.post("/actuator/sagaruns/%s/give-up".formatted(id), "{}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void aRunThatCanBeCancelledIsNotGivenUp() throws Exception {
        RunId id = waiting(shop);

        Http.Answer answer = http.post("/actuator/sagaruns/%s/give-up".formatted(id), "{}");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.json().path("message").asString()).contains("is waiting", "Cancel");
        assertThat(shop.bean(Runs.class).find(id).orElseThrow().state()).isEqualTo(RunState.WAITING);
    }

    @Test
    void cancellationsAndRetriesNameTheirUser(CapturedOutput output) throws Exception {
        RunId cancelled = waiting(shop);
        RunId retried = failed();
        shop.bean(Charge.class).broken = false;

        assertThat(http.as("ada")
                        .send("DELETE", "/actuator/sagaruns/" + cancelled)
                        .status())
                .isEqualTo(200);
        assertThat(http.as("eve\n2026 ERROR forged")
                        .send("POST", "/actuator/sagaruns/" + retried)
                        .status())
                .isEqualTo(200);

        awaitState(cancelled, RunState.CANCELLED);
        assertThat(shop.bean(Runs.class).find(cancelled).orElseThrow().cancelReason())
                .isEqualTo("cancelled by 'ada'");
        assertThat(output).contains("Run %s goes on: retried by 'eve 2026 ERROR forged'".formatted(retried));
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
                "GET|?key=order-8||'order-8'|Give both",
                "GET|/7||'7'|the id as sagaruns shows it",
                "POST|/7||'7'|the id as sagaruns shows it",
                "DELETE|/7||'7'|the id as sagaruns shows it",
                "POST|/ID/perhaps|{}|'perhaps'|done, not-done or give-up",
                "POST|/ID/done|{\"step\":\"wire\"}|result|\\\"null\\\"",
                "POST|/ID/done|{\"step\":\"wire\",\"result\":\"paid\"}|'paid'|a string of JSON",
                "POST|/ID/done|{\"result\":\"1\"}|'null'|latest entry",
                "POST|/ID/not-done|{\"step\":\"wire\",\"result\":\"1\"}|'1'|Leave the result out",
                "POST|/ID/give-up|{\"step\":\"wire\"}|step|Leave both out",
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
    void aDecisionAboutAnUnknownRunIsNotFound() throws Exception {
        RunId none = RunId.next();

        assertThat(http.post("/actuator/sagaruns/%s/give-up".formatted(none), "{}")
                        .status())
                .isEqualTo(404);
        assertThat(http.post("/actuator/sagaruns/%s/not-done".formatted(none), "{\"step\":\"wire\"}")
                        .status())
                .isEqualTo(404);
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
    void exposedItOnlyReadsUnlessWritingIsSwitchedOn() throws Exception {
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
