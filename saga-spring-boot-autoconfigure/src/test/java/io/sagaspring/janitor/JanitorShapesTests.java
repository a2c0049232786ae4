package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** A janitor of any shape is scheduled once, with and without other scheduling, and changes no other task. */
class JanitorShapesTests {

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final AtomicInteger others = new AtomicInteger();

    @AfterAll
    static void close() {
        database.close();
    }

    @EnableScheduling
    @Configuration(proxyBeanMethods = false)
    static class Scheduling {}

    @ClaimJanitor(module = "shop")
    static class Overriding extends ScheduledClaimJanitor {

        @Override
        public void sweep() {
            super.sweep();
        }
    }

    @ClaimJanitor(module = "shop")
    static class OverridingWithItsOwnSchedule extends ScheduledClaimJanitor {

        @Override
        @Scheduled(fixedDelay = 200, scheduler = "sagaJanitorScheduler")
        public void sweep() {
            super.sweep();
        }
    }

    abstract static class WithAnotherTask extends ScheduledClaimJanitor {

        @Scheduled(fixedDelay = 10)
        public void sweepTheFloor() {
            others.incrementAndGet();
        }
    }

    @ClaimJanitor(module = "shop")
    static class WithTwoOtherTasks extends WithAnotherTask {

        @Scheduled(fixedDelay = 10)
        public void sweepTheYard() {
            others.incrementAndGet();
        }
    }

    @ClaimJanitor(module = "shop")
    @Scope(proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped extends ScheduledClaimJanitor {}

    static List<Arguments> shapes() {
        List<Arguments> shapes = new ArrayList<>();
        for (Class<?> janitor :
                List.of(Overriding.class, OverridingWithItsOwnSchedule.class, WithTwoOtherTasks.class, Scoped.class)) {
            shapes.add(Arguments.of(janitor, true));
            shapes.add(Arguments.of(janitor, false));
        }
        return shapes;
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void aJanitorIsScheduledOnceAndSweeps(Class<?> janitor, boolean scheduling) {
        try (Shop shop = open(scheduling, janitor)) {
            long parcel = shop.pack();
            assertThat(shop.bean(ClaimService.class)
                            .tryClaim(
                                    shop.bean(DeclaredClaimStates.class)
                                            .of("shop")
                                            .get(0),
                                    parcel,
                                    "gone"))
                    .isInstanceOf(ClaimAttempt.Granted.class);
            shop.silence(Duration.ofHours(1));

            await().atMost(20, SECONDS).until(() -> shop.status(parcel).equals("PACKED"));
            assertThat(tasks(shop)).filteredOn(task -> task.endsWith(".sweep")).hasSize(1);
            // Without scheduling, count the tasks and not their executions, because a task that was started may not
            // have been executed yet.
            boolean more = scheduling && janitor == WithTwoOtherTasks.class;
            assertThat(tasks(shop)).hasSize(more ? 3 : 1);
        }
    }

    static class Configurer implements SchedulingConfigurer {

        final AtomicInteger calls = new AtomicInteger();

        @Override
        public void configureTasks(ScheduledTaskRegistrar registrar) {
            calls.incrementAndGet();
            registrar.addFixedDelayTask(others::incrementAndGet, Duration.ofHours(1));
        }
    }

    static class Dormant {

        @Scheduled(fixedDelay = 10)
        void run() {
            others.incrementAndGet();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theApplicationsTasksAreScheduledOnceAndOnlyWithSchedulingEnabled(boolean scheduling) {
        others.set(0);
        try (Shop shop = open(scheduling, Overriding.class, Configurer.class, Dormant.class)) {
            await().atMost(20, SECONDS)
                    .until(() ->
                            shop.bean(JanitorRegistry.class).sweeps().stream().allMatch(sweep -> sweep.lag() != null));

            assertThat(shop.bean(Configurer.class).calls).hasValue(scheduling ? 1 : 0);
            assertThat(tasks(shop)).hasSize(scheduling ? 3 : 1);
            if (scheduling) {
                await().atMost(20, SECONDS).until(() -> others.get() > 0);
            } else {
                assertThat(others).hasValue(0);
            }
        }
    }

    private static Shop open(boolean scheduling, Class<?>... beans) {
        return Shop.open(
                database,
                (SpringApplicationBuilder application) ->
                        application.sources(beans).sources(scheduling ? Scheduling.class : Quiet.class),
                "shop.janitor=false",
                "saga.janitor.interval=200ms",
                "saga.janitor.stuck-after=1s");
    }

    @Configuration(proxyBeanMethods = false)
    static class Quiet {}

    private static List<String> tasks(Shop shop) {
        return shop.bean(JanitorSchedule.class)
                .tasks()
                .map(ScheduledTask::toString)
                .toList();
    }
}
