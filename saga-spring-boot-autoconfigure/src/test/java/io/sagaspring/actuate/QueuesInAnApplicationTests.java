package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests queues that an application declares as beans and as properties, their endpoint, their gauges and their health. */
@ExtendWith(OutputCaptureExtension.class)
class QueuesInAnApplicationTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final class PayOut implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            return run.awaitSignal("paid", String.class);
        }
    }

    /** Declares a queue and also uses {@code Runs}, so that the tests find a cycle between these beans. */
    @Configuration
    static class Payouts {

        Payouts(Runs runs) {
            assertThat(runs).isNotNull();
        }

        @Bean
        RunQueue psp() {
            return RunQueue.named("psp").atOnce(50).keepsPermits();
        }

        @Bean
        PayOut payOut() {
            return new PayOut();
        }

        @Bean
        Http.Users users() {
            return new Http.Users();
        }
    }

    private Shop open(String... properties) {
        return Shop.open(
                database,
                application -> application.web(WebApplicationType.SERVLET).sources(Payouts.class),
                Stream.concat(
                                Stream.of(
                                        Http.ON_ANY_PORT,
                                        "management.endpoints.web.exposure.include=*",
                                        "management.endpoint.health.show-details=always",
                                        "management.endpoint.sagaqueues.access=unrestricted"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    private void start(String... properties) {
        Shop.open(database, application -> application.sources(Payouts.class), properties)
                .close();
    }

    @Test
    void propertiesOverrideABeanAndDeclareFurtherQueues() {
        try (Shop shop = open(
                "saga.runs.queues.psp.at-once=2",
                "saga.runs.queues.ledger.at-once-for-each=1",
                "saga.runs.queues.ledger.starts=100/1m",
                "saga.runs.queues.ledger.burst=10",
                "saga.runs.queues.ledger.starts-for-each=10/1s")) {
            Http http = new Http(shop).as("ada");
            Runs runs = shop.bean(Runs.class);
            for (int each = 0; each < 3; each++) {
                RunHandle<String> unused = runs.start(
                        PayOut.class, "input", RunOptions.none().in("psp").of("tenant"));
            }
            await().atMost(SOON).until(() -> runs.queue("psp").depth().inUse() == 2);

            assertThat(http.get("/actuator/sagaqueues").json().path("queues").findValuesAsString("name"))
                    .containsExactly("ledger", "psp");
            assertThat(http.get("/actuator/sagaqueues/psp").text())
                    .contains("\"name\":\"psp\",\"known\":true,\"atOnce\":2", "\"inUse\":2,\"waiting\":1");
            assertThat(http.get("/actuator/sagaqueues/ledger").text())
                    .contains("\"starts\":\"100/1 min with a burst of 10\",\"startsForEach\":\"10/1 s\"");
            assertThat(http.get("/actuator/sagaqueues/unknown").status()).isEqualTo(404);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(
                                    http.get("/actuator/health/saga").text())
                            .contains("\"psp\":{\"known\":true,\"executing\":2,\"waiting\":1,\"paused\":false}"));
            MeterRegistry meters = shop.bean(MeterRegistry.class);
            assertThat(meters.get("saga.queue.begun")
                            .tag("queue", "psp")
                            .counter()
                            .count())
                    .isEqualTo(2);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(meters.get("saga.queue.executing")
                                    .tag("queue", "psp")
                                    .gauge()
                                    .value())
                            .isEqualTo(2));
        }
    }

    @Test
    void aQueueIsPausedResumedAndLimitedOverHttp() {
        try (Shop shop = open("saga.runs.queues.psp.starts=1000/1s")) {
            Http http = new Http(shop).as("ada");

            assertThat(http.post("/actuator/sagaqueues/psp", "{\"operation\":\"pause\",\"reason\":\"maintenance\"}")
                            .text())
                    .contains("\"by\":\"'ada'\",\"why\":\"maintenance\"");
            assertThat(shop.bean(Runs.class).queue("psp").depth().isPaused()).isTrue();
            assertThat(http.post("/actuator/sagaqueues/psp", "{\"operation\":\"resume\"}")
                            .status())
                    .isEqualTo(200);
            assertThat(shop.bean(Runs.class).queue("psp").depth().isPaused()).isFalse();
            assertThat(http.post(
                                    "/actuator/sagaqueues/psp",
                                    "{\"operation\":\"limits\",\"atOnce\":7,\"atOnceForEach\":2}")
                            .text())
                    .contains("\"atOnce\":7,\"atOnceForEach\":2,\"starts\":\"1000/1 s\"");
            assertThat(http.post("/actuator/sagaqueues/psp", "{\"operation\":\"limits\",\"atOnce\":0}")
                            .text())
                    .contains("at-once=0 lets nothing begin. Use 1 or more, or pause the queue.");
            assertThat(http.post("/actuator/sagaqueues/psp", "{\"operation\":\"limits\"}")
                            .status())
                    .isEqualTo(400);
            assertThat(http.post("/actuator/sagaqueues/psp", "{\"operation\":\"drop\"}")
                            .status())
                    .isEqualTo(400);
            assertThat(http.post("/actuator/sagaqueues/unknown", "{\"operation\":\"resume\"}")
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void queuesThatCannotWorkAreReportedTogether(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> start(
                        "saga.runs.queues.psp.at-once-for-each=60",
                        "saga.runs.queues.ledger.at-once=0",
                        "saga.runs.queues.mail.at-once=50000",
                        "saga.runs.queues.sms.starts=abc"));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("This application's queues have faults:")
                .contains(
                        "Queue 'psp': at-once-for-each=60 is more than at-once=50, so it limits nothing. Use at most 50, or remove this limit. (saga.runs.queues.psp)")
                .contains(
                        "Queue 'ledger': at-once=0 lets nothing begin. Use 1 or more, or pause the queue. (saga.runs.queues.ledger)")
                .contains(
                        "Queue 'sms': starts=abc is no rate. Write a number, a slash and a duration, such as 100/1m. (saga.runs.queues.sms)")
                .contains("Queue 'mail': at-once=50000 is too large. A queue has at most 10,000 permits.")
                .doesNotContain("at io.sagaspring.run");
    }

    @Test
    void anImpossibleNumberOfSlotsIsReportedWithItsProperty(CapturedOutput output) {
        assertThatException().isThrownBy(() -> start("saga.runs.queue-concurrency=-1"));

        assertThat(output).contains("saga.runs.queue-concurrency").contains("It must be at least 0.");
    }
}
