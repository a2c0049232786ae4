package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** What operators see of runs and may do to them, over HTTP. */
class RunsEndpointTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final TestDatabase database = TestDatabase.create();
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
                    throw new IllegalStateException("no such bank");
                }
                return card + amount;
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Charging {

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
        shop.bean(Runs.class).signal(id, "amount", "12");
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
        assertThat(answer.text()).doesNotContain("card-0815").doesNotContain("12\"");
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
    void whatFailedGoesOnWhenItIsRetried() throws Exception {
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
    void whatIsCancelledStopsAndSaysBecauseOfWhom() throws Exception {
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
        assertThat(again.json().path("message").asString()).contains("is cancelled", "It is over");
    }

    @Test
    void whatIsNotThereIsNotFound() throws Exception {
        RunId none = RunId.next();

        assertThat(Stream.of("GET", "POST", "DELETE"))
                .allSatisfy(method -> assertThat(
                                http.send(method, "/actuator/sagaruns/" + none).status())
                        .isEqualTo(404));
    }

    @Test
    void whatCannotBeReadIsTheCallersFault() throws Exception {
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
