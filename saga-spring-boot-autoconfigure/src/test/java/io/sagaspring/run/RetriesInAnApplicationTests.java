package io.sagaspring.run;

import static io.sagaspring.run.Retry.retry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.startup.StartupFaultException;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Policies and time-outs from the properties of an application, for runs and sagas. */
class RetriesInAnApplicationTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    private static final String[] THREE_ATTEMPTS = {
        "saga.runs.defaults.retry.max-attempts=3",
        "saga.runs.defaults.retry.delay=0s",
        "saga.runs.defaults.timeout=200ms"
    };

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    /** Fails until its step has been attempted as often as the input says. */
    static final class Charge implements DurableRun<Integer, Integer> {

        final AtomicInteger tries = new AtomicInteger();

        @Override
        public Integer run(RunContext run, Integer attempts) {
            return run.step("charge", Integer.class, () -> failing(tries, attempts));
        }
    }

    /** Has its own defaults. */
    static final class ChargeTwice implements DurableRun<Integer, Integer> {

        final AtomicInteger tries = new AtomicInteger();

        @Override
        public Integer run(RunContext run, Integer attempts) {
            return run.step("charge", Integer.class, () -> failing(tries, attempts));
        }

        @Override
        public StepDefaults defaults() {
            return StepDefaults.retry(retry().max(2).delay(Duration.ZERO));
        }
    }

    /** Never returns by itself. */
    static final class Hang implements DurableRun<String, String> {

        @Override
        public String run(RunContext run, String input) {
            run.step("hang", () -> new CountDownLatch(1).await());
            return "";
        }
    }

    static final class Order implements Saga<Integer> {

        final AtomicInteger tries = new AtomicInteger();

        @Override
        public void define(SagaDefinition<Integer> saga) {
            saga.step("charge", context -> failing(tries, context.input()));
        }
    }

    static final class OrderWithItsOwnPolicy implements Saga<Integer> {

        final AtomicInteger tries = new AtomicInteger();

        @Override
        public void define(SagaDefinition<Integer> saga) {
            saga.defaults(retry().max(2).delay(Duration.ZERO));
            saga.step("charge", context -> failing(tries, context.input()));
        }
    }

    private static int failing(AtomicInteger tries, int attempts) {
        if (tries.incrementAndGet() < attempts) {
            throw new IllegalStateException("busy");
        }
        return tries.get();
    }

    @Configuration(proxyBeanMethods = false)
    static class Code {

        @Bean
        Charge charge() {
            return new Charge();
        }

        @Bean
        ChargeTwice chargeTwice() {
            return new ChargeTwice();
        }

        @Bean
        Hang hang() {
            return new Hang();
        }

        @Bean
        Order order() {
            return new Order();
        }

        @Bean
        OrderWithItsOwnPolicy orderWithItsOwnPolicy() {
            return new OrderWithItsOwnPolicy();
        }
    }

    private Shop shop(String... properties) {
        return Shop.open(database, application -> application.sources(Code.class), properties);
    }

    private static double attempts(Shop shop, String outcome) {
        return shop.bean(MeterRegistry.class)
                .get("saga.runs.attempts")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    @Test
    void thePropertiesSetThePolicyOfRunsAndSagasThatHaveNoPolicy() throws Exception {
        try (Shop shop = shop(THREE_ATTEMPTS)) {
            Runs runs = shop.bean(Runs.class);
            Sagas sagas = shop.bean(Sagas.class);

            assertThat(runs.start(Charge.class, 3).await(SOON)).isEqualTo(3);
            var ordered = sagas.start(Order.class, 3);
            assertThat(runs.awaitEnd(ordered.id(), SOON)).isTrue();
            assertThat(sagas.find(ordered.id()).orElseThrow().state()).isEqualTo(RunState.COMPLETED);
            assertThat(shop.bean(Order.class).tries).hasValue(3);
            assertThat(attempts(shop, "failed")).isEqualTo(2);
        }
    }

    @Test
    void thePolicyOfARunOrSagaReplacesTheProperties() throws Exception {
        try (Shop shop = shop(THREE_ATTEMPTS)) {
            Runs runs = shop.bean(Runs.class);

            RunHandle<Integer> charged = runs.start(ChargeTwice.class, 3);
            assertThatThrownBy(() -> charged.await(SOON)).hasMessageContaining("busy");
            assertThat(shop.bean(ChargeTwice.class).tries).hasValue(2);
            var ordered = shop.bean(Sagas.class).start(OrderWithItsOwnPolicy.class, 3);
            assertThat(runs.awaitEnd(ordered.id(), SOON)).isTrue();
            assertThat(shop.bean(OrderWithItsOwnPolicy.class).tries).hasValue(2);
        }
    }

    @Test
    void timedOutAttemptsAreCounted() {
        try (Shop shop = shop(THREE_ATTEMPTS)) {
            RunHandle<String> handle = shop.bean(Runs.class).start(Hang.class, "");

            assertThatThrownBy(() -> handle.await(SOON)).hasMessageContaining("time-out of 200 ms");
            assertThat(attempts(shop, "timed_out")).isEqualTo(2);
            assertThat(attempts(shop, "failed")).isZero();
        }
    }

    @Test
    void withoutAPropertyEachStepIsAttemptedOnce() throws Exception {
        try (Shop shop = shop()) {
            Runs runs = shop.bean(Runs.class);

            RunHandle<Integer> charged = runs.start(Charge.class, 3);
            assertThatThrownBy(() -> charged.await(SOON)).hasMessageContaining("busy");
            assertThat(shop.bean(Charge.class).tries).hasValue(1);
            var ordered = shop.bean(Sagas.class).start(Order.class, 3);
            assertThat(runs.awaitEnd(ordered.id(), SOON)).isTrue();
            assertThat(shop.bean(Order.class).tries).hasValue(1);
            assertThat(attempts(shop, "failed")).isZero();
        }
    }

    @Test
    void allFaultsOfTheDefaultsAreReportedTogetherWithTheirPlaces() {
        assertThatThrownBy(() -> shop("saga.runs.defaults.retry.delay=-1s", "saga.runs.defaults.timeout=0s"))
                .rootCause()
                .isInstanceOfSatisfying(
                        StartupFaultException.class,
                        fault -> assertThat(fault.description())
                                .contains(
                                        "saga.runs.defaults.retry.delay is -1 s (",
                                        "saga.runs.defaults.timeout is 0 s ("));
    }
}
