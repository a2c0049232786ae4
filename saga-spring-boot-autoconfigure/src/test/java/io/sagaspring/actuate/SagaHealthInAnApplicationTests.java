package io.sagaspring.actuate;

import static io.sagaspring.actuate.HealthAnswers.await;
import static io.sagaspring.actuate.HealthAnswers.problems;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.quiet.ExpectsErrors;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.OwnThread;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/** Tests the health endpoint of an application, even while the janitor fails or the pool is exhausted. */
class SagaHealthInAnApplicationTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Test
    void aStuckClaimDegradesHealthButKeepsTheNodeInService() throws Exception {
        try (Shop shop = open("management.endpoint.health.show-details=always")) {
            Http http = new Http(shop);
            assertThat(saga(http).path("status").asString()).isEqualTo("UP");
            assertThat(saga(http).path("details").path("oldest")).isEmpty();
            CountDownLatch arrived = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            shop.script().action = (entity, context) -> {
                arrived.countDown();
                assertThat(released.await(30, SECONDS)).isTrue();
                return ActionResult.success();
            };
            long parcel = shop.pack();
            CompletableFuture<TransitionOutcome> owner = OwnThread.call(() -> shop.send(parcel));
            assertThat(arrived.await(20, SECONDS)).isTrue();

            JsonNode alive = saga(http);
            assertThat(alive.path("status").asString()).isEqualTo("UP");
            assertThat(alive.path("details").path("kept").asInt()).isEqualTo(1);
            assertThat(alive.path("details").path("oldest").path("id").asString())
                    .isEqualTo(Long.toString(parcel));
            assertThat(alive.path("details").path("oldest").path("age").asString())
                    .matches("\\d+ ms|[0-9.]+ s|\\d+ min.*");
            shop.silence(Duration.ofHours(1));

            JsonNode stuck = saga(http);
            assertThat(stuck.path("status").asString()).isEqualTo("DEGRADED");
            assertThat(stuck.path("details").path("stuck").path("shop").asInt()).isEqualTo(1);
            assertThat(stuck.path("details").path("problems").toString()).contains("Stuck claims: 1 of module 'shop'");
            Http.Answer whole = http.get("/actuator/health");
            assertThat(whole.status()).isEqualTo(200);
            assertThat(whole.json().path("status").asString()).isEqualTo("UP");
            released.countDown();
            assertThat(owner.get(20, SECONDS)).isInstanceOf(TransitionOutcome.Completed.class);
        }
    }

    @Test
    void livenessAndReadinessDoNotIncludeSagaHealth() throws Exception {
        try (Shop shop = open(
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.show-components=always")) {
            Http http = new Http(shop);

            assertThat(http.get("/actuator/health/liveness").text()).doesNotContain("saga");
            assertThat(http.get("/actuator/health/readiness").text()).doesNotContain("saga");
            assertThat(http.get("/actuator/health").text()).contains("saga");
            assertThat(saga(http).path("status").asString()).isEqualTo("UP");
        }
    }

    @Test
    void theHealthIndicatorCanBeSwitchedOff() throws Exception {
        try (Shop shop = open("management.health.saga.enabled=false")) {
            assertThat(new Http(shop).get("/actuator/health/saga").status()).isEqualTo(404);
        }
    }

    @Test
    void aNodeWithoutSlotsReportsThatItExecutesNoRuns() {
        try (Shop shop = open("saga.runs.concurrency=0")) {
            assertThat(saga(shop).getDetails()).containsEntry("executesRuns", false);
        }
    }

    @Test
    @ExpectsErrors("The sweep of module 'shop' failed")
    void aSweepThatKeepsFailingIsAProblemOnceItIsOverdue() throws Exception {
        try (Shop shop = open("saga.janitor.interval=200ms")) {
            // The status is UP even before the first sweep, so the test also waits for the sweep.
            await(
                    () -> shop.bean(JanitorRegistry.class).sweep("shop").orElseThrow(),
                    sweep -> sweep.lag() != null && saga(shop).getStatus().equals(Status.UP));
            shop.database().sql("ALTER TABLE saga_claim RENAME TO hidden").update();

            Health overdue = await(
                    () -> saga(shop), health -> problems(health).stream().anyMatch(each -> each.contains("finished")));
            assertThat(overdue.getStatus()).isEqualTo(SagaHealthIndicator.DEGRADED);
            assertThat(problems(overdue))
                    .anyMatch(each -> each.startsWith("The database could not be queried: "))
                    .anyMatch(each -> each.matches(
                            "Module 'shop': the latest sweep finished .* ago \\(interval 200 ms\\)\\. .*"));
        }
    }

    /** A database that is down makes a caller wait for a connection in the same way as an exhausted pool. */
    @Test
    void theHealthCheckDoesNotHangWhenThePoolIsExhausted() throws Exception {
        try (Shop shop = open(
                "spring.datasource.hikari.maximum-pool-size=1", "spring.datasource.hikari.connection-timeout=60000")) {
            try (Connection held = shop.bean(DataSource.class).getConnection()) {
                long begun = System.nanoTime();
                Health health = saga(shop);

                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(30));
                assertThat(problems(health)).contains("The database did not answer within 2 s.");
                assertThat(held.isClosed()).isFalse();
            }
            await(() -> saga(shop), health -> health.getStatus().equals(Status.UP));
        }
    }

    private Shop open(String... properties) {
        String[] all = Stream.concat(Stream.of(Http.ON_ANY_PORT), Stream.of(properties))
                .toArray(String[]::new);
        return Shop.open(database, application -> application.web(WebApplicationType.SERVLET), all);
    }

    private static JsonNode saga(Http http) throws Exception {
        Http.Answer answer = http.get("/actuator/health/saga");
        assertThat(answer.status()).isEqualTo(200);
        return answer.json();
    }

    private static Health saga(Shop shop) {
        return shop.bean(SagaHealthIndicator.class).health();
    }
}
