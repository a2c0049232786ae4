package io.sagaspring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.autoconfigure.source.WorkflowSources;
import io.sagaspring.claim.ClaimLedger;
import io.sagaspring.claim.ClaimRecovery;
import io.sagaspring.claim.ClaimService;
import io.sagaspring.claim.ClaimState;
import io.sagaspring.claim.DeclaredClaimStates;
import io.sagaspring.claim.FlipListener;
import io.sagaspring.database.DatabaseWork;
import io.sagaspring.database.Databases;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.DefinitionReader.Definitions;
import io.sagaspring.definition.Fault;
import io.sagaspring.due.DueHandler;
import io.sagaspring.due.DueWork;
import io.sagaspring.entity.ClaimTable;
import io.sagaspring.entity.DescribedTables;
import io.sagaspring.entity.EntitySource;
import io.sagaspring.entity.EntityTables;
import io.sagaspring.entity.MappedEntities;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Jobs;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Purge;
import io.sagaspring.janitor.ClaimJanitor;
import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.JanitorSchedule;
import io.sagaspring.janitor.SweepListener;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import io.sagaspring.workflow.EffectKeyPurges;
import io.sagaspring.workflow.EffectKeys;
import io.sagaspring.workflow.TransitionListener;
import io.sagaspring.workflow.WorkflowEngine;
import io.sagaspring.workflow.Workflows;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Auto-configuration for workflows: their steps, claims, after-effects and janitors.
 *
 * <p>These beans are never lazy, even if the application uses lazy initialization. If a definition has a fault or a
 * claim state has no janitor, the start must fail, not the first request.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = FoundationAutoConfiguration.class,
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnBean(SagaSchema.class)
@Conditional(OnEntities.class)
@ConditionalOnBooleanProperty(name = "saga.claims.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ClaimProperties.class, DueProperties.class, JanitorProperties.class})
@Lazy(false)
public class WorkflowAutoConfiguration {

    /** The largest size, in bytes, of an action's result that is stored with an effect key. */
    private static final int LARGEST_RESULT = 1 << 20;

    /**
     * The time between two readings of the list of tenants. Without the list, a node would not find tenants whose
     * requests only other nodes serve.
     */
    private static final Duration LOOK_FOR_TENANTS = Duration.ofSeconds(10);

    WorkflowAutoConfiguration() {}

    /** The databases of tenants get the same tables as the home database, in a schema of the same name. */
    @Bean
    Databases sagaDatabases(
            SagaSchema schema,
            SchemaProperties properties,
            OwnTransactions home,
            Tenants tenants,
            Keeper keeper,
            JanitorProperties janitor) {
        String name = schema.name();
        return Databases.of(
                home,
                tenants,
                new Databases.Settings(
                        keeper,
                        database -> {
                            SagaSchema unused = properties.migrate()
                                    ? SagaSchema.migrate(database, name)
                                    : SagaSchema.verify(database, name);
                        },
                        janitor.tick(),
                        LOOK_FOR_TENANTS));
    }

    /** The entities that JPA maps. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({SessionFactory.class, JpaTransactionManager.class})
    @ConditionalOnBean(EntityManagerFactory.class)
    static class Jpa {

        @Bean
        MappedEntities sagaMappedEntities(
                ConfigurableListableBeanFactory beans,
                DataSourceChoice choice,
                SagaSchema schema,
                Databases databases,
                ClaimProperties properties) {
            return new PersistenceUnits(beans, choice.require(), schema, databases)
                    .entities(properties.writeLastModified());
        }
    }

    /**
     * The entities whose tables the application describes. The tables are compared with the database, so they must
     * exist when this bean is created.
     */
    @Bean
    @DependsOnDatabaseInitialization
    DescribedTables sagaDescribedTables(
            ObjectProvider<ClaimTable<?>> tables,
            DataSourceChoice choice,
            ObjectProvider<PlatformTransactionManager> transactions,
            Databases databases) {
        DataSource pool = choice.require();
        return new DescribedTables(
                tables.stream().toList(), pool, new PoolTransactions(pool, transactions)::manager, databases);
    }

    @Bean
    EntityTables sagaEntityTables(ObjectProvider<EntitySource> sources) {
        return new EntityTables(sources.stream().toList());
    }

    @Bean
    WorkflowEngine sagaWorkflowEngine(
            ConfigurableEnvironment environment,
            ObjectProvider<ClaimState> claimStates,
            EntityTables tables,
            ConfigurableListableBeanFactory beans,
            ApplicationContext context) {
        WorkflowSources.Gathered gathered = WorkflowSources.gather(environment, context);
        Definitions read = DefinitionReader.read(gathered.workflows());
        List<Fault> faults = Stream.concat(gathered.faults().stream(), read.faults().stream())
                .toList();
        return new WorkflowEngine(
                read.withFaults(faults),
                gathered.workflows()::placeOf,
                claimStates.stream().toList(),
                tables,
                beans,
                Objects.requireNonNull(context.getClassLoader()));
    }

    @Bean
    DeclaredClaimStates sagaClaimStates(WorkflowEngine engine) {
        return engine.claimStates();
    }

    @Bean
    ClaimLedger sagaClaimLedger(
            SagaSchema schema, Databases databases, NodeName node, ObjectProvider<FlipListener> listeners) {
        return new ClaimLedger(
                schema, databases, node.value(), listeners.orderedStream().toList());
    }

    @Bean
    ClaimService sagaClaimService(
            ClaimLedger ledger,
            DeclaredClaimStates states,
            Keeper keeper,
            JanitorProperties janitor,
            ClaimProperties properties) {
        return new ClaimService(ledger, states, keeper, janitor::stuckAfterOf, properties.checkedMaxDuration());
    }

    @Bean
    ClaimRecovery sagaRecoveries(ClaimLedger ledger, DeclaredClaimStates states) {
        return new ClaimRecovery(ledger, states);
    }

    @Bean
    TakeoverTimeout sagaClaimWindow(JanitorProperties janitor) {
        return new TakeoverTimeout(janitor.shortestStuckAfter());
    }

    @Bean
    TakeoverTimeout sagaDueWindow(DueProperties due) {
        return new TakeoverTimeout(due.checkedLease());
    }

    @Bean(destroyMethod = "")
    DueWork sagaDueWork(
            SagaSchema schema,
            NodeName node,
            Databases databases,
            Keeper keeper,
            WorkflowEngine engine,
            ObjectProvider<DueHandler> handlers,
            @SagaExecutor ObjectProvider<Executor> executor,
            DueProperties properties,
            Environment environment) {
        return new DueWork(
                schema,
                node.value(),
                databases,
                keeper,
                Stream.concat(Stream.of(engine.afterEffects()), handlers.stream())
                        .toList(),
                executor.getIfAvailable(() -> ownThreads(environment)),
                properties.settings());
    }

    @Bean
    EffectKeys sagaEffectKeys(
            SagaSchema schema, Databases databases, ObjectProvider<PayloadCodec> codec, ClaimProperties properties) {
        return new EffectKeys(
                schema,
                databases,
                codec.getIfAvailable(() -> new JsonPayloadCodec(LARGEST_RESULT)),
                properties.checkedEffectKeyRetention());
    }

    @Bean
    Purge sagaEffectKeyPurge(EffectKeys effects, ClaimProperties properties, Jobs jobs) {
        return new Purge("Purging effect keys", effects::purge, properties.checkedPurgeInterval(), jobs);
    }

    @Bean
    EffectKeyPurges sagaEffectKeyPurges(EffectKeys effects, ClaimProperties properties) {
        return new EffectKeyPurges(effects, properties.checkedPurgeInterval(), ElapsedClock.OF_THIS_MACHINE);
    }

    @Bean
    Workflows sagaWorkflows(
            WorkflowEngine engine,
            ClaimService claims,
            ClaimLedger ledger,
            DueWork due,
            EffectKeys effects,
            ApplicationContext context,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<TransitionListener> listeners) {
        return engine.workflows(
                claims,
                ledger,
                due,
                effects,
                context,
                observations.getIfUnique(() -> ObservationRegistry.NOOP),
                listeners.orderedStream().toList());
    }

    @Bean
    JanitorRegistry sagaJanitorRegistry(
            DeclaredClaimStates states,
            ClaimRecovery recoveries,
            SagaSchema schema,
            JanitorProperties properties,
            Pauses pauses,
            ApplicationContext context,
            ObjectProvider<SweepListener> listeners) {
        return new JanitorRegistry(
                states,
                recoveries,
                schema,
                new JanitorRegistry.Settings(
                        properties.checkedOrphanInterval(),
                        properties::of,
                        module ->
                                pauses.names(Pause.Kind.JANITOR, Duration.ZERO).contains(module)),
                ElapsedClock.OF_THIS_MACHINE,
                listeners.orderedStream().toList(),
                context);
    }

    @Bean
    JanitorSchedule sagaJanitorSchedule(
            ConfigurableListableBeanFactory beans,
            JanitorRegistry registry,
            @Qualifier("sagaJanitorScheduler") ThreadPoolTaskScheduler scheduler,
            JanitorProperties properties) {
        return new JanitorSchedule(
                beans, registry, scheduler, properties.tick(), () -> DefaultJanitors.of(properties, registry));
    }

    @Bean
    ClaimsWork sagaClaimsWork(
            DueWork due,
            JanitorRegistry registry,
            JanitorSchedule schedule,
            Databases databases,
            ObjectProvider<DatabaseWork> works) {
        return new ClaimsWork(due, registry, schedule, databases, works.stream().toList());
    }

    /**
     * Returns the interval between two calls of a janitor. The annotation of {@link
     * io.sagaspring.janitor.ScheduledClaimJanitor} refers to this bean by its name.
     */
    @Bean(defaultCandidate = false)
    Duration sagaJanitorTick(JanitorProperties properties) {
        return properties.tick();
    }

    /**
     * Creates a scheduler with its own thread, so that a sweep does not wait for the application's tasks. {@link Jobs}
     * cannot run the sweeps, because janitors name this scheduler in their {@code @Scheduled}.
     */
    @Bean(defaultCandidate = false)
    ThreadPoolTaskScheduler sagaJanitorScheduler() {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setThreadNamePrefix("saga-janitor-");
        scheduler.setDaemon(true);
        scheduler.setPoolSize(1);
        return scheduler;
    }

    /**
     * Excludes janitors, and beans whose types are in this package, from lazy initialization. A janitor that is never
     * created would never sweep.
     */
    @Bean
    static LazyInitializationExcludeFilter sagaJanitorsAreNeverLazy() {
        return (name, definition, type) -> AnnotatedElementUtils.hasAnnotation(type, ClaimJanitor.class)
                || type.getPackageName().equals(WorkflowAutoConfiguration.class.getPackageName());
    }

    private static Executor ownThreads(Environment environment) {
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("saga-due-");
        threads.setVirtualThreads(Threading.VIRTUAL.isActive(environment));
        return threads;
    }
}
