package io.sagaspring.autoconfigure;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Runs;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.TransitionOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.ApplicationRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Background work begins before an application is ready, because the web server already handles requests while a runner
 * is busy.
 */
class WorkBeginsTests {

    private static final CountDownLatch checked = new CountDownLatch(1);
    private static final AtomicReference<ConfigurableApplicationContext> starting = new AtomicReference<>();
    private static final CountDownLatch runnerStarted = new CountDownLatch(1);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    static final class Sleeper implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            run.sleep("pause", Duration.ofMillis(1));
            return input;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LongRunner {

        @Bean
        Sleeper sleeper() {
            return new Sleeper();
        }

        @Bean
        ApplicationRunner runner(ConfigurableApplicationContext context) {
            return arguments -> {
                starting.set(context);
                runnerStarted.countDown();
                assertThat(checked.await(60, SECONDS)).isTrue();
            };
        }
    }

    @Test
    void backgroundWorkDoesNotWaitForAnApplicationRunner() throws Exception {
        ExecutorService main = Executors.newSingleThreadExecutor();
        try {
            Future<Shop> opening = main.submit(() -> Shop.open(
                    database, application -> application.sources(LongRunner.class), "saga.janitor.interval=200ms"));
            assertThat(runnerStarted.await(60, SECONDS)).isTrue();
            try {
                assertThatWorkIsDone(Shop.of(starting.get(), database));
            } finally {
                checked.countDown();
                opening.get(60, SECONDS).close();
            }
        } finally {
            checked.countDown();
            main.shutdownNow();
        }
    }

    private static void assertThatWorkIsDone(Shop shop) throws Exception {
        assertThat(shop.bean(Runs.class).start(Sleeper.class, "slept").await(Duration.ofSeconds(20)))
                .isEqualTo("slept");

        CompletableFuture<Void> delivered = new CompletableFuture<>();
        shop.script().action = (entity, context) -> ActionResult.success();
        shop.script().afterEffect = (entity, context) -> delivered.complete(null);
        assertThat(shop.send(shop.pack())).isInstanceOf(TransitionOutcome.Completed.class);
        assertThat(delivered).succeedsWithin(20, SECONDS);

        long parcel = shop.pack();
        assertThat(shop.bean(ClaimService.class)
                        .tryClaim(
                                shop.bean(DeclaredClaimStates.class).of("shop").get(0), parcel, "gone"))
                .isInstanceOf(ClaimAttempt.Granted.class);
        shop.silence(Duration.ofHours(1));
        await().atMost(20, SECONDS).until(() -> shop.status(parcel).equals("PACKED"));
    }
}
