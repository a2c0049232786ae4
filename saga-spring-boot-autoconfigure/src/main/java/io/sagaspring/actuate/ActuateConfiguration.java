package io.sagaspring.actuate;

import io.micrometer.core.instrument.MeterRegistry;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.database.Databases;
import io.sagaspring.due.DueWork;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Keeper;
import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.KeyStore;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.lease.LeaseStore;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunStore;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schedule.ScheduleEngine;
import io.sagaspring.schedule.ScheduleStore;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.workflow.Workflows;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Defines the meters and the health indicator. Each of these two groups exists only if the library that it needs is on
 * the class path.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
public class ActuateConfiguration {

    private static final int ENOUGH_STUCK = 1_000;
    private static final Duration AGE_OF_PAUSES = Duration.ofSeconds(1);

    ActuateConfiguration() {}

    @Bean
    @ConditionalOnBean(Workflows.class)
    Survey<ClaimFacts> sagaSurvey(ClaimService claims, DueWork due, ObjectProvider<JanitorRegistry> janitors) {
        return new Survey<>(
                () -> new ClaimFacts(
                        claims.oldest().orElse(null), stuck(janitors.getObject()), due.countParked(), due.backlog()),
                ElapsedClock.OF_THIS_MACHINE);
    }

    @Bean
    @ConditionalOnBean(RunStore.class)
    Survey<RunFacts> sagaRunSurvey(RunStore store, ObjectProvider<RunEngine> engine, ObjectProvider<Pauses> pauses) {
        Pauses stored = pauses.getIfAvailable();
        return new Survey<>(
                () -> new RunFacts(
                        store.troubled(),
                        engine.getObject().backlog(),
                        engine.getObject().queueDepths(),
                        stored == null ? Set.of() : stored.names(Pause.Kind.RUN, AGE_OF_PAUSES)),
                ElapsedClock.OF_THIS_MACHINE);
    }

    @Bean
    @ConditionalOnBean(ScheduleEngine.class)
    Survey<ScheduleFacts> sagaScheduleSurvey(ScheduleStore store, ObjectProvider<Schedules> schedules) {
        return new Survey<>(
                () -> new ScheduleFacts(store.now(), schedules.getObject().list()), ElapsedClock.OF_THIS_MACHINE);
    }

    @Bean
    @ConditionalOnBean(ListenerEngine.class)
    Survey<ListenerFacts> sagaListenerSurvey(ObjectProvider<Deliveries> deliveries) {
        return new Survey<>(() -> new ListenerFacts(deliveries.getObject().backlog()), ElapsedClock.OF_THIS_MACHINE);
    }

    private static Map<String, Integer> stuck(JanitorRegistry janitors) {
        return janitors.stuck(ENOUGH_STUCK).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, module -> module.getValue().size()));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {

        /**
         * Takes a provider of {@code Workflows}, because the counters are listeners of {@code Workflows} and are
         * created before it.
         */
        @Bean
        @ConditionalOnBean(Workflows.class)
        ClaimCounters sagaClaimCounters(ObjectProvider<Workflows> workflows, DeclaredClaimStates states) {
            return new ClaimCounters(() -> workflows.getObject().definitions(), states);
        }

        @Bean
        @ConditionalOnBean(Workflows.class)
        ClaimGauges sagaClaimGauges(
                Keeper keeper, ClaimLedger ledger, Survey<ClaimFacts> survey, ObjectProvider<DueWork> due) {
            return new ClaimGauges(keeper, ledger, survey, () -> due.getObject().freeSlots());
        }

        @Bean
        @ConditionalOnBean(IdempotencyKeys.class)
        KeyCounters sagaKeyCounters() {
            return new KeyCounters();
        }

        @Bean
        @ConditionalOnBean(KeyStore.class)
        KeyGauges sagaKeyGauges(KeyStore store) {
            return new KeyGauges(new Survey<>(store::bytes, ElapsedClock.OF_THIS_MACHINE));
        }

        @Bean
        @ConditionalOnBean(LeaseStore.class)
        LeaseCounters sagaLeaseCounters() {
            return new LeaseCounters();
        }

        @Bean
        @ConditionalOnBean(RunStore.class)
        RunCounters sagaRunCounters() {
            return new RunCounters();
        }

        @Bean
        @ConditionalOnBean(Sagas.class)
        SagaCounters sagaSagaCounters() {
            return new SagaCounters();
        }

        @Bean
        @ConditionalOnBean(ScheduleEngine.class)
        ScheduleMeters sagaScheduleMeters(Survey<ScheduleFacts> survey) {
            return new ScheduleMeters(survey);
        }

        @Bean
        @ConditionalOnBean(ListenerEngine.class)
        ListenerMeters sagaListenerMeters(Survey<ListenerFacts> survey) {
            return new ListenerMeters(survey);
        }

        @Bean
        @ConditionalOnBean(RunStore.class)
        RunGauges sagaRunGauges(Survey<RunFacts> survey, ObjectProvider<RunEngine> engine) {
            return new RunGauges(survey, () -> engine.getObject().freeSlots());
        }

        @Bean
        @ConditionalOnBean(RunStore.class)
        QueueMeters sagaQueueMeters(Survey<RunFacts> survey, ObjectProvider<RunEngine> engine) {
            return new QueueMeters(survey, () -> engine.getObject().queueNames());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("saga")
    static class Contribution {

        @Bean
        @Order(1)
        @ConditionalOnBean(Workflows.class)
        HealthPart sagaClaimHealth(JanitorRegistry janitors, Survey<ClaimFacts> survey, HealthLimits limits) {
            return new ClaimHealth(
                    janitors::sweeps, survey, ElapsedClock.OF_THIS_MACHINE, limits.dueWorkOverdueAfter());
        }

        @Bean
        @Order(2)
        HealthPart sagaKeeperHealth(Keeper keeper) {
            return new KeeperHealth(keeper);
        }

        @Bean
        @Order(3)
        @ConditionalOnBean(RunStore.class)
        HealthPart sagaRunHealth(Survey<RunFacts> survey, HealthLimits limits) {
            return new RunHealth(survey, limits.runsOverdueAfter(), limits.isExecutingRuns(), limits::pageOf);
        }

        @Bean
        @Order(6)
        @ConditionalOnBean(Pauses.class)
        HealthPart sagaPauseHealth(Pauses pauses, ObjectProvider<JanitorRegistry> janitors) {
            return new PauseHealth(new Survey<>(pauses::all, ElapsedClock.OF_THIS_MACHINE), janitors::getIfAvailable);
        }

        @Bean
        @Order(4)
        @ConditionalOnBean(RunStore.class)
        HealthPart sagaQueueHealth(Survey<RunFacts> survey, HealthLimits limits, ObjectProvider<RunEngine> engine) {
            return new QueueHealth(
                    survey, limits.runsOverdueAfter(), () -> engine.getObject().queueNames());
        }

        @Bean
        @Order(5)
        HealthPart sagaLoopHealth(Keeper keeper) {
            return new LoopHealth(keeper.loops());
        }

        @Bean
        @Order(5)
        @ConditionalOnBean(Databases.class)
        HealthPart sagaDatabaseHealth(Databases databases) {
            return new DatabaseHealth(databases);
        }

        @Bean
        @Order(6)
        @ConditionalOnBean(ScheduleEngine.class)
        HealthPart sagaScheduleHealth(Survey<ScheduleFacts> survey, ScheduleEngine engine) {
            return new ScheduleHealth(survey, engine.overdueAfter());
        }

        @Bean
        @Order(7)
        @ConditionalOnBean(ListenerEngine.class)
        HealthPart sagaListenerHealth(Survey<ListenerFacts> survey, ListenerEngine engine) {
            return new ListenerHealth(survey, engine.overdueAfter());
        }

        @Bean
        SagaHealthIndicator sagaHealthIndicator(ObjectProvider<HealthPart> parts) {
            return new SagaHealthIndicator(parts.orderedStream().toList());
        }
    }
}
