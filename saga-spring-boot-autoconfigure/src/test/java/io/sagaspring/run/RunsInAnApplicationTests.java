package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaListener;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Parcel;
import io.sagaspring.shop.PoolSettings;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests runs in an application with JPA, various pool settings, and its own beans. */
class RunsInAnApplicationTests {

    private static final Duration SOON = Duration.ofSeconds(20);

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    record Packed(long id, long version) {}

    static final class PackParcel implements DurableRun<String, Packed> {

        private final EntityManager entities;
        final List<String> seen = new CopyOnWriteArrayList<>();

        PackParcel(EntityManager entities) {
            this.entities = entities;
        }

        @Override
        public Packed run(RunContext run, String note) {
            long id = run.transactionalStep("persist", Long.class, () -> {
                Parcel parcel = new Parcel();
                entities.persist(parcel);
                return parcel.id();
            });
            Packed packed = run.transactionalStep("note", Packed.class, () -> {
                Parcel parcel = entities.find(Parcel.class, id);
                parcel.note(note);
                entities.flush();
                return new Packed(parcel.id(), parcel.version());
            });
            seen.add("%s %s %s".formatted(MDC.get("request"), MDC.get("saga.run"), user()));
            run.sleep("pause", Duration.ofMillis(1));
            seen.add("%s %s %s".formatted(MDC.get("request"), MDC.get("saga.run"), user()));
            return packed;
        }

        private static String user() {
            return Optional.ofNullable(SecurityContextHolder.getContext().getAuthentication())
                    .map(Authentication::getName)
                    .orElse("nobody");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Packing {

        @Bean
        PackParcel packParcel(EntityManager entities) {
            return new PackParcel(entities);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PackingTwice {

        @Bean
        PackParcel another(EntityManager entities) {
            return new PackParcel(entities);
        }

        @Bean
        DurableRun<String, String> lambda() {
            return (run, input) -> input;
        }
    }

    /**
     * A run and a listener that need {@link Runs} and {@link Sagas}. A service of the test application needs them as
     * well.
     */
    static final class StartsAnother implements DurableRun<String, String>, RunListener {

        private final Runs runs;
        private final Sagas sagas;
        final List<RunEvent> events = new CopyOnWriteArrayList<>();

        StartsAnother(Runs runs, Sagas sagas) {
            this.runs = runs;
            this.sagas = sagas;
        }

        @Override
        public String run(RunContext run, String left) {
            if (!left.isEmpty()) {
                run.step("next", String.class, () -> {
                    assertThat(runs.find(run.runId())).isPresent();
                    assertThat(sagas.find(run.runId())).isEmpty();
                    return runs.start(StartsAnother.class, left.substring(1))
                            .id()
                            .toString();
                });
            }
            return left;
        }

        @Override
        public void happened(String run, RunId id, RunEvent event) {
            events.add(event);
        }
    }

    /** A saga that starts runs, both directly and through a service. */
    static final class StartingSaga implements Saga<String> {

        private final Runs runs;
        private final Supplier<Sagas> service;

        StartingSaga(Runs runs, Supplier<Sagas> service) {
            this.runs = runs;
            this.service = service;
        }

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("start", context -> {
                assertThat(service.get()).isNotNull();
                return runs.start(StartsAnother.class, "").id().toString();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Starting {

        @Bean
        StartsAnother startsAnother(Runs runs, Sagas sagas) {
            return new StartsAnother(runs, sagas);
        }

        @Bean
        Supplier<Sagas> service(Sagas sagas, Runs runs) {
            assertThat(runs).isNotNull();
            return () -> sagas;
        }

        @Bean
        StartingSaga startingSaga(Runs runs, Supplier<Sagas> service) {
            return new StartingSaga(runs, service);
        }

        @Bean
        SagaListener sagaListener(Runs runs) {
            assertThat(runs).isNotNull();
            return event -> {};
        }
    }

    @Test
    void runsSagasAndListenersMayInjectRunsAndSagas() throws Exception {
        try (Shop shop = Shop.open(database, application -> application.sources(Starting.class))) {
            assertThat(shop.bean(Runs.class).start(StartsAnother.class, "ab").await(SOON))
                    .isEqualTo("ab");
            assertThat(shop.bean(StartsAnother.class).events).contains(RunEvent.STARTED);

            RunId saga =
                    shop.bean(Sagas.class).start(StartingSaga.class, "input").id();
            assertThat(shop.bean(Sagas.class).await(saga, SOON).state()).isEqualTo(RunState.COMPLETED);
            await().untilAsserted(() -> assertThat(shop.bean(Runs.class).list(new RunQuery(null, Set.of(), null, 10)))
                    .extracting(RunView::state)
                    .hasSize(5)
                    .containsOnly(RunState.COMPLETED));
        }
    }

    private Shop open(String... properties) {
        return Shop.open(database, application -> application.sources(Packing.class), properties);
    }

    @ParameterizedTest
    @EnumSource
    void aRunCompletesWithAnyPoolSettings(PoolSettings settings) throws Exception {
        try (Shop shop = open(settings.and())) {
            Runs runs = shop.bean(Runs.class);

            RunHandle<Packed> outside = runs.start(PackParcel.class, "outside");
            RunHandle<Packed> inside =
                    Objects.requireNonNull(shop.inTransaction(entities -> runs.start(PackParcel.class, "inside")));

            assertThat(shop.note(outside.await(SOON).id())).isEqualTo("outside");
            assertThat(shop.note(inside.await(SOON).id())).isEqualTo("inside");
            assertThat(outside.await(SOON).version()).isEqualTo(1);
        }
    }

    @Test
    void aRunDoesNotStartIfTheCallersTransactionRollsBack() {
        try (Shop shop = open()) {
            Runs runs = shop.bean(Runs.class);
            RunId id = new TransactionTemplate(shop.bean(PlatformTransactionManager.class)).execute(status -> {
                status.setRollbackOnly();
                RunId started = runs.start(PackParcel.class, "never").id();
                assertThat(runs.find(started)).isPresent();
                return started;
            });

            assertThat(runs.find(Objects.requireNonNull(id))).isEmpty();
        }
    }

    @Test
    void theCallersContextIsRestoredEachTimeTheRunContinues() throws Exception {
        try (Shop shop = open()) {
            MDC.put("request", "r-7");
            SecurityContextHolder.getContext()
                    .setAuthentication(UsernamePasswordAuthenticationToken.authenticated(
                            "ada", null, AuthorityUtils.createAuthorityList("ROLE_CLERK")));
            RunHandle<Packed> run = shop.bean(Runs.class).start(PackParcel.class, "carried");

            run.await(SOON);

            assertThat(shop.bean(PackParcel.class).seen)
                    .hasSize(3)
                    .allMatch(each -> each.equals("r-7 %s ada".formatted(run.id())));
        } finally {
            MDC.clear();
            SecurityContextHolder.clearContext();
        }
    }

    @Test
    void aFailedStartOccupiesNoSlot() throws Exception {
        try (Shop shop = open("saga.runs.concurrency=1", "saga.runs.max-payload-size=1KB")) {
            Runs runs = shop.bean(Runs.class);
            MDC.put("too long", "x".repeat(2_000));

            assertThatThrownBy(() -> runs.start(PackParcel.class, "never")).isInstanceOf(PayloadException.class);

            MDC.clear();
            RunHandle<Packed> run = runs.start(PackParcel.class, "next");
            assertThat(shop.note(run.await(SOON).id())).isEqualTo("next");
        } finally {
            MDC.clear();
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void allFaultsOfTheRunBeansAreReportedTogether(CapturedOutput output) {
        assertThatException()
                .isThrownBy(() ->
                        Shop.open(database, application -> application.sources(Packing.class, PackingTwice.class)));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Two runs have the name 'packParcel'")
                .contains("does not declare the types of its input and its result");
    }

    @Test
    void theRunBeansAreAbsentWhenRunsAreSwitchedOff() {
        try (Shop shop = open("saga.runs.enabled=false")) {
            ConfigurableApplicationContext context = shop.context();

            assertThat(context.getBeansOfType(Runs.class)).isEmpty();
            assertThatThrownBy(() -> shop.bean(RunStore.class)).hasMessageContaining("RunStore");
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aConcurrencyAboveThePoolSizeIsLogged(CapturedOutput output) {
        try (Shop shop = open("saga.runs.concurrency=9", "spring.datasource.hikari.maximum-pool-size=8")) {
            assertThat(output).contains("saga.runs.concurrency=9 is greater than the pool's 8 connections");
            assertThat(shop.bean(Runs.class)).isNotNull();
        }
    }
}
