package io.sagaspring.saga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.autoconfigure.SagaExecutor;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartOutcome;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.MDC;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Tests sagas and tasks that are beans of an application, with its executor, listeners and meters. */
class SagasInAnApplicationTests {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String KEY = "saga.sagas.callback-keys=a-key-that-is-long-enough-for-a-test";

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    record Order(String id) {}

    record Reservation(String shelf) {}

    /** Injects {@code Sagas}, as any bean that is part of a saga may do. */
    static final class Reserve implements SagaTask<Order, Reservation> {

        private final Sagas sagas;
        final List<String> seen = new CopyOnWriteArrayList<>();
        final List<String> threads = new CopyOnWriteArrayList<>();

        Reserve(Sagas sagas) {
            this.sagas = sagas;
        }

        @Override
        public Reservation call(StepContext<Order> context) {
            threads.add(Thread.currentThread().getName());
            RunId self = RunId.of(context.executionId());
            seen.add("%s %s %s %s"
                    .formatted(
                            MDC.get("saga.name"),
                            MDC.get("saga.step"),
                            MDC.get("saga.attempt"),
                            sagas.find(self).orElseThrow().state()));
            return new Reservation("A7");
        }

        @Override
        public void compensate(StepContext<Order> context, @Nullable Reservation reserved) {
            seen.add("released " + Objects.requireNonNull(reserved).shelf());
        }

        @Override
        public void options(StepSpec<Order> step) {
            step.dedupe();
        }
    }

    static final class Checkout implements Saga<Order> {

        @Override
        public void define(SagaDefinition<Order> saga) {
            saga.idempotencyKey(order -> "checkout:" + order.id()).timeout(Duration.ofMinutes(1));
            saga.task("reserve", Reserve.class);
            saga.step("ship", context -> {
                        context.correlate("parcel-" + context.input().id());
                        return null;
                    })
                    .async();
        }
    }

    static final class EventRecorder {

        private final List<String> events = new CopyOnWriteArrayList<>();

        @EventListener
        void add(SagaEvent event) {
            events.add(event.kind().text());
        }
    }

    record Observed(List<String> steps) {}

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Reserve reserve(Sagas sagas) {
            return new Reserve(sagas);
        }

        @Bean
        Checkout checkout() {
            return new Checkout();
        }

        @Bean(defaultCandidate = false)
        @SagaExecutor
        Executor threads() {
            return new SimpleAsyncTaskExecutor("of-the-application-");
        }

        @Bean
        EventRecorder eventRecorder() {
            return new EventRecorder();
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }

        @Bean
        Observed observed() {
            return new Observed(new CopyOnWriteArrayList<>());
        }

        @Bean
        ObservationRegistry observations(Observed observed) {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(new ObservationHandler<>() {
                @Override
                public void onStop(Observation.Context context) {
                    if ("saga.step".equals(context.getName())) {
                        observed.steps().add(String.valueOf(context.getContextualName()));
                    }
                    throw new IllegalStateException("an observer that fails decides nothing");
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return "saga.step".equals(context.getName());
                }
            });
            return registry;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Broken {

        @Bean
        Saga<Order> broken() {
            return saga -> saga.step("one", context -> null);
        }

        @Bean
        NoSteps noSteps() {
            return new NoSteps();
        }
    }

    static final class NoSteps implements Saga<Order> {
        @Override
        public void define(SagaDefinition<Order> saga) {}
    }

    private Shop open(String... properties) {
        return Shop.open(database, application -> application.sources(Beans.class), properties);
    }

    @Test
    void aSagaWhoseTasksAreBeansCompletes() throws Exception {
        try (Shop shop = open(KEY)) {
            Sagas sagas = shop.bean(Sagas.class);

            SagaHandle started = sagas.start(Checkout.class, new Order("o-1"));
            assertThat(sagas.start(Checkout.class, new Order("o-1")))
                    .isEqualTo(new SagaHandle(started.id(), StartOutcome.EXISTING));
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(
                                    sagas.find(started.id()).orElseThrow().state())
                            .isEqualTo(RunState.WAITING));
            assertThat(sagas.correlated("parcel-o-1").complete("signed").applied())
                    .isTrue();

            SagaResult end = sagas.await(started.id(), SOON);
            assertThat(end.state()).isEqualTo(RunState.COMPLETED);
            assertThat(end.get("shelf", String.class)).isEqualTo("A7");
            assertThat(end.get("ship", String.class)).isEqualTo("signed");
            assertThat(sagas.list(SagaQuery.of(Checkout.class).in(RunState.COMPLETED)))
                    .extracting(ExecutionView::id)
                    .containsExactly(started.id());
            assertThat(sagas.list(SagaQuery.of(Checkout.class).after(started.id())))
                    .isEmpty();
            assertThat(shop.bean(Reserve.class).seen).containsExactly("checkout reserve 1 RUNNING");
            assertThat(shop.bean(EventRecorder.class).events)
                    .contains("step.started", "step.completed", "step.waiting", "step.completed_async");
            assertThat(shop.bean(Observed.class).steps()).containsExactly("checkout reserve", "checkout ship");
            assertThat(shop.bean(MeterRegistry.class)
                            .counter("saga.sagas", "event", "step_completed_async")
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void stepsRunOnTheExecutorMarkedWithSagaExecutor() throws Exception {
        try (Shop shop = open(KEY)) {
            Sagas sagas = shop.bean(Sagas.class);
            RunId id = sagas.start(Checkout.class, new Order("o-1")).id();

            await().atMost(SOON)
                    .untilAsserted(() ->
                            assertThat(sagas.find(id).orElseThrow().state()).isEqualTo(RunState.WAITING));

            assertThat(shop.bean(Reserve.class).threads)
                    .singleElement()
                    .asString()
                    .startsWith("of-the-application-");
        }
    }

    @Test
    void theCompensationOfATaskGetsTheResultOfTheTask() throws Exception {
        try (Shop shop = open(KEY)) {
            Sagas sagas = shop.bean(Sagas.class);
            RunId id = sagas.start(Checkout.class, new Order("o-1")).id();
            await().atMost(SOON)
                    .untilAsserted(() ->
                            assertThat(sagas.find(id).orElseThrow().state()).isEqualTo(RunState.WAITING));

            assertThat(sagas.cancel(id, "changed my mind")).isTrue();

            SagaResult result = sagas.await(id, SOON);
            assertThat(result.state()).isEqualTo(RunState.CANCELLED);
            assertThat(result.cancelReason()).contains("changed my mind");
            ExecutionView end = sagas.find(id).orElseThrow();
            assertThat(end.cancelledAt()).isNotNull();
            assertThat(end.steps())
                    .extracting(StepView::state)
                    .containsExactly(StepState.COMPENSATED, StepState.CANCELLED);
            assertThat(shop.bean(Reserve.class).seen).contains("released A7");
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void theApplicationReportsAllFaultsOfItsSagasAtStartUp(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() -> Shop.open(
                        database,
                        application -> application.sources(Beans.class, Broken.class),
                        "saga.sagas.callback-keys="));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The type of its input is unknown")
                .contains("It has no steps")
                .contains("saga.sagas.callback-keys is empty");
    }

    @Test
    void theSagasBeanIsAbsentWhenSagasAreSwitchedOff() {
        try (Shop shop = Shop.open(database, application -> {}, "saga.sagas.enabled=false")) {
            assertThat(shop.context().getBeansOfType(Sagas.class)).isEmpty();
        }
    }
}
