package io.sagaspring.janitor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.Shop;
import io.sagaspring.shop.Shop.ShopJanitor;
import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.SimpleTraceInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.diagnostics.FailureAnalyzedException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTask;

/** An application starts only if every claim state has a janitor that is scheduled. */
class JanitorCoverageTests {

    private static final String[] QUICK = {"saga.janitor.interval=200ms", "saga.janitor.stuck-after=1s"};

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    @Test
    void theApplicationFailsToStartAndNamesEveryUncoveredClaimState() {
        assertThatThrownBy(() -> Shop.open(
                        database,
                        "shop.janitor=false",
                        "saga.workflows.returns.module=returns",
                        "saga.workflows.returns.entity=" + Parcel.class.getName(),
                        "saga.workflows.returns.status-types=LOST,RETURNING,PACKED",
                        "saga.workflows.returns.requesters=admin",
                        "saga.workflows.returns.steps[0].step-id=1",
                        "saga.workflows.returns.steps[0].step-key=find",
                        "saga.workflows.returns.steps[0].status=LOST",
                        "saga.workflows.returns.steps[0].claim-state.any=RETURNING,LOST",
                        "saga.workflows.returns.steps[0].successful-state.any=PACKED",
                        "saga.workflows.returns.steps[0].action.any=script"))
                .isInstanceOf(UncoveredClaimStatesException.class)
                .hasMessage(
                        "Claim state RETURNING of workflow 'returns' (module 'returns', entity io.sagaspring.shop.Parcel) has no janitor. Add a bean annotated @ClaimJanitor(module = \"returns\").\n"
                                + "Claim state SENDING of workflow 'parcel' (module 'shop', entity io.sagaspring.shop.Parcel) has no janitor. Add a bean annotated @ClaimJanitor(module = \"shop\").");
    }

    @ClaimJanitor(module = "ship")
    static class JanitorOfAnotherModule extends ScheduledClaimJanitor {}

    @Test
    void aJanitorOfAnotherModuleDoesNotCoverAClaimState() {
        assertThatThrownBy(() -> Shop.open(
                        database,
                        application -> application.sources(JanitorOfAnotherModule.class),
                        "shop.janitor=false"))
                .isInstanceOf(UncoveredClaimStatesException.class);
    }

    @Test
    void aPropertyGivesAModuleAJanitorWithoutAClass() {
        try (Shop shop = Shop.open(
                database, concat(QUICK, "shop.janitor=false", "saga.janitor.modules.shop.default-janitor=true"))) {
            assertThatAStuckParcelIsFreed(shop);
        }
    }

    @Test
    void aModuleCannotHaveAJanitorClassAndADefaultJanitor() {
        assertThatThrownBy(() -> Shop.open(database, "saga.janitor.modules.shop.default-janitor=true"))
                .isInstanceOfSatisfying(
                        FailureAnalyzedException.class,
                        refused -> assertThat(refused.analysis().getDescription())
                                .isEqualTo(
                                        "Module 'shop' has a bean annotated @ClaimJanitor, and saga.janitor.modules.shop.default-janitor=true requests another janitor."));
    }

    @Test
    void settingsOfAModuleThatDoesNotExistAreRefused() {
        assertThatThrownBy(() -> Shop.open(database, "saga.janitor.modules.shpo.interval=1s"))
                .isInstanceOfSatisfying(FailureAnalyzedException.class, refused -> {
                    assertThat(refused.analysis().getDescription())
                            .isEqualTo(
                                    "The properties saga.janitor.modules.shpo.* name a module that does not exist, so they would have no effect. Did you mean 'shop'?");
                    assertThat(refused.analysis().getAction()).endsWith("The modules are: 'shop'.");
                });
    }

    @Test
    void noRequestIsEverServedWhileAClaimStateIsUncovered() {
        List<WebServerInitializedEvent> servers = new CopyOnWriteArrayList<>();

        assertThatThrownBy(() -> Shop.open(
                        database,
                        application -> application
                                .web(WebApplicationType.SERVLET)
                                .listeners((ApplicationListener<WebServerInitializedEvent>) servers::add),
                        "server.port=0",
                        "shop.janitor=false"))
                .isInstanceOf(UncoveredClaimStatesException.class);

        assertThat(servers).isEmpty();
    }

    @Test
    void lazyInitialisationHidesNeitherAJanitorNorAnUncoveredClaimState() {
        try (Shop shop = Shop.open(database, "spring.main.lazy-initialization=true")) {
            assertThat(sweepTasks(shop)).isOne();
        }
        assertThatThrownBy(() -> Shop.open(database, "spring.main.lazy-initialization=true", "shop.janitor=false"))
                .isInstanceOf(UncoveredClaimStatesException.class);
    }

    @Lazy
    @ClaimJanitor(module = "shop")
    static class LazyJanitor extends ScheduledClaimJanitor {}

    @Test
    void aLazyJanitorSweeps() {
        try (Shop shop = Shop.open(
                database, application -> application.sources(LazyJanitor.class), concat(QUICK, "shop.janitor=false"))) {
            assertThatAStuckParcelIsFreed(shop);
        }
    }

    @Test
    void aJanitorOfAParentContextCoversItsModuleAndSweeps() {
        try (var parent = new AnnotationConfigApplicationContext(ParentJanitor.class);
                Shop shop = Shop.open(
                        database, application -> application.parent(parent), concat(QUICK, "shop.janitor=false"))) {
            assertThatAStuckParcelIsFreed(shop);
        }
    }

    @ClaimJanitor(module = "shop")
    static class ParentJanitor extends ScheduledClaimJanitor {}

    @Configuration(proxyBeanMethods = false)
    static class Proxied {

        @Bean
        static BeanPostProcessor proxyOfTheJanitor() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (!(bean instanceof ScheduledClaimJanitor)) {
                        return bean;
                    }
                    ProxyFactory factory = new ProxyFactory(bean);
                    factory.setProxyTargetClass(true);
                    factory.addAdvice(new SimpleTraceInterceptor());
                    return factory.getProxy();
                }
            };
        }
    }

    @Test
    void aProxiedJanitorSweeps() {
        try (Shop shop = Shop.open(database, application -> application.sources(Proxied.class), QUICK)) {
            assertThat(AopUtils.isCglibProxy(shop.bean(ShopJanitor.class))).isTrue();
            assertThatAStuckParcelIsFreed(shop);
        }
    }

    @ClaimJanitor(module = "shop")
    static class NoJanitorAtAll {}

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void anAnnotatedBeanThatIsNoScheduledClaimJanitorIsRefused(CapturedOutput output) {
        assertThatThrownBy(() -> Shop.open(
                        database, application -> application.sources(NoJanitorAtAll.class), "shop.janitor=false"))
                .isInstanceOf(UnusableJanitorsException.class)
                .hasMessageContaining(NoJanitorAtAll.class.getName());
        assertThat(output)
                .contains("Description:\n\nBean '")
                .contains("Action:\n\nMake its class extend ScheduledClaimJanitor.");
    }

    @Test
    void twoJanitorsForOneModuleAreRefused() {
        assertThatThrownBy(() -> Shop.open(database, application -> application.sources(LazyJanitor.class)))
                .hasMessageContaining("Module 'shop' has two janitors");
    }

    @EnableScheduling
    @Configuration(proxyBeanMethods = false)
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class Tasks {

        final AtomicInteger runs = new AtomicInteger();

        @Scheduled(fixedDelay = 10)
        void run() {
            runs.incrementAndGet();
        }
    }

    @Test
    void anApplicationWithSchedulingSchedulesTheJanitorOnce() {
        try (Shop shop =
                Shop.open(database, application -> application.sources(Scheduling.class, Tasks.class), QUICK)) {
            assertThat(sweepTasks(shop)).isOne();
            await().atMost(20, SECONDS).until(() -> shop.bean(Tasks.class).runs.get() > 1);
            assertThatAStuckParcelIsFreed(shop);
        }
    }

    @Test
    void ifSchedulingIsDisabledTheJanitorRunsButNoTaskOfTheApplication() {
        try (Shop shop = Shop.open(database, application -> application.sources(Tasks.class), QUICK)) {
            assertThatAStuckParcelIsFreed(shop);
            assertThat(shop.bean(Tasks.class).runs).hasValue(0);
        }
    }

    @Test
    void theApplicationFailsToStartIfAJanitorIsCreatedTooEarly() {
        assertThatThrownBy(
                        () -> Shop.open(database, application -> application.sources(Scheduling.class, TooEarly.class)))
                .hasMessageContaining("Not all janitors are scheduled (scheduled: 0)");
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {

        /**
         * A post-processor of high precedence. Its dependencies are created before the post-processor that schedules
         * tasks.
         */
        @Bean
        static Greedy greedy(ShopJanitor janitor) {
            return new Greedy(janitor);
        }

        record Greedy(ShopJanitor janitor) implements BeanPostProcessor, org.springframework.core.PriorityOrdered {

            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }
        }
    }

    @ClaimJanitor(module = "shop")
    static class SlowJanitor extends ScheduledClaimJanitor implements ApplicationRunner {

        final CountDownLatch sweeping = new CountDownLatch(1);
        final CountDownLatch started = new CountDownLatch(1);

        @Override
        public void sweep() {
            sweeping.countDown();
            try {
                assertThat(started.await(60, SECONDS)).isTrue();
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
            }
        }

        /** Runs before the application is ready. */
        @Override
        public void run(ApplicationArguments arguments) throws InterruptedException {
            assertThat(sweeping.await(60, SECONDS)).isTrue();
        }
    }

    /**
     * The first sweep may last long if a crash has left many claims behind, or if other transactions lock the entities.
     */
    @Test
    void aLongFirstSweepDoesNotPreventTheStart() {
        try (Shop shop = Shop.open(
                database, application -> application.sources(SlowJanitor.class), concat(QUICK, "shop.janitor=false"))) {
            SlowJanitor janitor = shop.bean(SlowJanitor.class);
            assertThat(janitor.started.getCount()).isOne();
            janitor.started.countDown();
        }
    }

    @ClaimJanitor(module = "shop")
    static class NeverJanitor extends ScheduledClaimJanitor {

        /** The schedule never fires, because February has no 31st day. */
        @Override
        @Scheduled(cron = "0 0 0 31 2 *", scheduler = "sagaJanitorScheduler")
        public void sweep() {
            super.sweep();
        }
    }

    @Test
    void theApplicationFailsToStartIfAJanitorsScheduleNeverFires() {
        assertThatThrownBy(() -> Shop.open(
                        database,
                        application -> application.sources(Scheduling.class, NeverJanitor.class),
                        "shop.janitor=false"))
                .hasMessageContaining("Not all janitors are scheduled (scheduled: 0)");
    }

    @Test
    void theHookAndTheListenersGetTheIdAndTheAgeOfARecoveredClaim() {
        List<ClaimRecovered> published = new CopyOnWriteArrayList<>();
        try (Shop shop = Shop.open(
                database,
                application -> application.initializers(context -> context.addApplicationListener(
                        (org.springframework.context.PayloadApplicationEvent<?> event) -> {
                            if (event.getPayload() instanceof ClaimRecovered recovered) {
                                published.add(recovered);
                                throw new IllegalStateException("A listener that throws must not stop the sweep.");
                            }
                        })),
                QUICK)) {
            long parcel = shop.pack();
            stick(shop, parcel);
            await().atMost(20, SECONDS)
                    .until(() -> !shop.bean(ShopJanitor.class).recovered.isEmpty());

            assertThat(published).isEqualTo(shop.bean(ShopJanitor.class).recovered);
            assertThat(published).singleElement().satisfies(claim -> {
                assertThat(claim.id()).isEqualTo(Long.toString(parcel));
                assertThat(claim.module()).isEqualTo("shop");
                assertThat(claim.claimState()).isEqualTo("SENDING");
                assertThat(claim.status()).isEqualTo("PACKED");
                assertThat(claim.age()).isPositive();
            });
        }
    }

    private static void assertThatAStuckParcelIsFreed(Shop shop) {
        long parcel = shop.pack();
        stick(shop, parcel);
        await().atMost(20, SECONDS).until(() -> shop.status(parcel).equals("PACKED"));
        assertThat(shop.claims()).isZero();
    }

    /**
     * Leaves a claim, as a crash does. The test writes the status and the claim in one commit. Between two commits, a
     * sweep could adopt the entity as an orphan.
     */
    private static void stick(Shop shop, long parcel) {
        shop.database().sql("""
                        WITH stuck AS (
                            UPDATE parcel SET status = 'SENDING', version = version + 1 WHERE id = ? RETURNING id)
                        INSERT INTO saga_claim (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                            attempt, token, claimed_at, alive_at)
                        SELECT 'parcel', id::text, 'parcel', 'shop', 'SENDING', 'PACKED', 'admin', 'gone', gen_random_uuid(),
                            nextval('saga_token'), clock_timestamp() - INTERVAL '1 hour', clock_timestamp() - INTERVAL '1 hour'
                        FROM stuck""").param(parcel).update();
    }

    private static long sweepTasks(Shop shop) {
        JanitorSchedule schedule = shop.bean(JanitorSchedule.class);
        return schedule.tasks()
                .map(ScheduledTask::toString)
                .filter(task -> task.endsWith(".sweep"))
                .count();
    }

    private static String[] concat(String[] some, String... more) {
        return java.util.stream.Stream.of(some, more)
                .flatMap(java.util.stream.Stream::of)
                .toArray(String[]::new);
    }
}
