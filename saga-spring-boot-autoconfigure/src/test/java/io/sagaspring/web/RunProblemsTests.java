package io.sagaspring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** A client that sends a value that cannot be stored receives a problem. A mistake of the application remains a 500. */
class RunProblemsTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Shop shop = Shop.open(
            database,
            application -> application.web(WebApplicationType.SERVLET).sources(Web.class),
            Http.ON_ANY_PORT,
            "saga.runs.max-payload-size=10KB",
            "saga.sagas.callback-keys=a-key-that-is-long-enough-for-a-test");

    private static final Http http = new Http(shop);

    @BeforeAll
    static void open() {
        assertThat(shop.bean(Runs.class)).isNotNull();
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    static final class Waiting implements DurableRun<Map<String, Object>, String> {

        @Override
        public String run(RunContext run, Map<String, Object> input) {
            return run.awaitSignal("paid", JsonNode.class).toString();
        }
    }

    static final class Failing implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            throw new IllegalStateException("no stock");
        }
    }

    static final class Order implements Saga<Map<String, String>> {

        @Override
        public void define(SagaDefinition<Map<String, String>> saga) {
            saga.idempotencyKey(order -> order.getOrDefault("id", ""));
            saga.step("ship", context -> null).async();
        }
    }

    /** A type whose values cannot be written as JSON. */
    static final class Opaque {

        @SuppressWarnings("DoNotCallSuggester") // The codec calls this method.
        public String getSecret() {
            throw new IllegalStateException("Not to be written");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Endpoints.class, Waiting.class, Failing.class, Order.class})
    static class Web {}

    @RestController
    static class Endpoints {

        private final Runs runs;
        private final Sagas sagas;

        Endpoints(Runs runs, Sagas sagas) {
            this.runs = runs;
            this.sagas = sagas;
        }

        /** Returns a value that a client might send. */
        private static Object value(String kind) {
            return switch (kind) {
                case "fine" -> "value";
                case "large" -> "x".repeat(10_241);
                case "deep" -> JsonMapper.shared().readTree("[".repeat(400) + "]".repeat(400));
                case "number" -> JsonNodeFactory.instance.numberNode(new BigInteger("9".repeat(1_200)));
                default -> new Opaque();
            };
        }

        @PostMapping("/runs")
        ResponseEntity<String> start(
                @RequestParam(required = false) @Nullable String key,
                @RequestParam(defaultValue = "fine") String value) {
            RunOptions options = key == null ? RunOptions.within(SOON) : RunOptions.withKey(key);
            return ResponseEntity.ok(runs.start(Waiting.class, Map.of("value", value(value)), options)
                    .id()
                    .toString());
        }

        @PostMapping("/runs/{id}/signals")
        void signal(
                @PathVariable String id,
                @RequestParam(defaultValue = "other") String signal,
                @RequestParam(defaultValue = "key") String key,
                @RequestParam(defaultValue = "fine") String value) {
            runs.signal(RunId.of(id), signal, key, value(value));
        }

        /** Retries a failed run whose key another run has now. */
        @PostMapping("/retries")
        void retry() {
            RunOptions options = RunOptions.withKey("in-use").whileOpen();
            RunId failed = runs.start(Failing.class, "", options).id();
            await().atMost(SOON).until(() -> runs.find(failed).orElseThrow().state() == RunState.FAILED);
            RunHandle<String> unusedHandle = runs.start(Failing.class, "", options.andAfter(SOON));
            boolean unused = runs.retry(failed);
        }

        @PostMapping("/orders")
        ResponseEntity<String> order(@RequestParam String id) {
            return ResponseEntity.ok(
                    sagas.start(Order.class, Map.of("id", id)).id().toString());
        }

        @PostMapping("/orders/{id}")
        void ship(
                @PathVariable String id,
                @RequestParam(required = false) @Nullable String key,
                @RequestParam(defaultValue = "fine") String value) {
            sagas.callback(RunId.of(id), "ship").complete(key, Map.of("value", value(value)));
        }

        /** Throws an exception about one of the application's own values. */
        @PostMapping("/stored")
        void stored() {
            throw new PayloadException("Stored JSON cannot be read", null);
        }

        @PostMapping("/own")
        void own() {
            throw new PayloadException("Too large", PayloadException.Reason.TOO_LARGE, null);
        }
    }

    private static void requireProblem(Http.Answer answer, int status, String outcome) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.json().path("outcome").asString()).isEqualTo(outcome);
        assertThat(answer.text()).doesNotContain("java", "Map", "Exception");
    }

    private static String started(String path) throws Exception {
        Http.Answer answer = http.send("POST", path);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.text();
    }

    @ParameterizedTest
    @ValueSource(strings = {"%00", "a%00b", "%20", "501"})
    void aKeyThatCannotBeStoredIsABadRequest(String given) throws Exception {
        String key = given.equals("501") ? "k".repeat(501) : given;
        String run = started("/runs");
        String order = started("/orders?id=ordinary" + given.length());

        requireProblem(http.send("POST", "/runs?key=" + key), 400, "InvalidName");
        requireProblem(http.send("POST", "/orders?id=" + key), 400, "InvalidName");
        requireProblem(http.send("POST", "/runs/" + run + "/signals?key=" + key), 400, "InvalidName");
        requireProblem(http.send("POST", "/runs/" + run + "/signals?signal=" + key), 400, "InvalidName");
        requireProblem(http.send("POST", "/orders/" + order + "?key=" + key), 400, "InvalidName");
    }

    @ParameterizedTest
    @CsvSource({"large, 413, ValueTooLarge", "deep, 400, InvalidValue", "number, 400, InvalidValue"})
    void aValueThatCannotBeStoredIsRefusedAndNothingIsStarted(String value, int status, String outcome)
            throws Exception {
        String run = started("/runs");
        String order = started("/orders?id=given-" + value);
        await().atMost(SOON)
                .until(() ->
                        shop.bean(Runs.class).find(RunId.of(run)).orElseThrow().state() == RunState.WAITING);

        requireProblem(http.send("POST", "/runs?key=" + value + "&value=" + value), status, outcome);
        requireProblem(http.send("POST", "/runs/" + run + "/signals?value=" + value), status, outcome);
        requireProblem(http.send("POST", "/orders/" + order + "?value=" + value), status, outcome);

        assertThat(shop.bean(Runs.class).find(Waiting.class, value)).isEmpty();
        assertThat(http.send("POST", "/runs/" + run + "/signals?signal=paid").status())
                .isEqualTo(200);
        assertThat(http.send("POST", "/orders/" + order).status()).isEqualTo(200);
    }

    @Test
    void aRunThatDoesNotExistIsNotFound() throws Exception {
        requireProblem(http.send("POST", "/runs/" + RunId.next() + "/signals"), 404, "NoSuchRun");
        requireProblem(http.send("POST", "/orders/" + RunId.next()), 404, "NoSuchRun");
    }

    @Test
    void aRetryWhoseKeyIsInUseIsAConflict() throws Exception {
        requireProblem(http.send("POST", "/retries"), 409, "KeyInUse");
    }

    @Test
    void aMistakeOfTheApplicationIsAServerError() throws Exception {
        assertThat(http.send("POST", "/runs?value=opaque").status()).isEqualTo(500);
        assertThat(http.send("POST", "/stored").status()).isEqualTo(500);
        assertThat(http.send("POST", "/own").status()).isEqualTo(500);
    }

    @Test
    void theOperationsPageHasARowForEveryProblemOfARun() throws Exception {
        String page = Files.readString(Path.of("../docs/operations.md"));

        assertThat(page)
                .contains(
                        "| `%s`, `%s` | 400 | |\n"
                                .formatted(RunProblemAdvice.INVALID_NAME, RunProblemAdvice.INVALID_VALUE),
                        "| `%s` | 404 | |\n".formatted(RunProblemAdvice.NO_SUCH_RUN),
                        "| `%s` | 413 | |\n".formatted(RunProblemAdvice.VALUE_TOO_LARGE));
    }
}
