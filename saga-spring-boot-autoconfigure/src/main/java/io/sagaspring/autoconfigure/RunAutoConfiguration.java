package io.sagaspring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.fence.Jobs;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Purge;
import io.sagaspring.pause.Pause;
import io.sagaspring.pause.Pauses;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.QueueListener;
import io.sagaspring.run.QueueStore;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunQueues;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.run.carrier.Carriers;
import io.sagaspring.run.postgres.PostgresRunStore;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for durable runs.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = FoundationAutoConfiguration.class)
@ConditionalOnBean(Keeper.class)
@ConditionalOnBooleanProperty(name = "saga.runs.enabled", matchIfMissing = true)
@EnableConfigurationProperties({
    RunProperties.class,
    RunDefaults.class,
    QueueProperties.class,
    DashboardLinkProperties.class
})
@Lazy(false)
public class RunAutoConfiguration {

    private static final Logger logger = LoggerFactory.getLogger(RunAutoConfiguration.class);

    private static final String THREADS = "saga-run-";
    private static final Duration IDLE_TIME = Duration.ofSeconds(10);

    RunAutoConfiguration() {}

    @Bean
    TakeoverTimeout sagaRunWindow(RunProperties properties) {
        return new TakeoverTimeout(properties.checkedLeaseTtl());
    }

    @Bean
    @ConditionalOnBean(SagaSchema.class)
    @ConditionalOnMissingBean(RunStore.class)
    PostgresRunStore sagaRunStore(
            SagaSchema schema, NodeName node, OwnTransactions own, DataSourceChoice choice, RunProperties properties) {
        return new PostgresRunStore(
                schema,
                node.value(),
                own,
                choice.require(),
                properties.checkedLeaseTtl(),
                properties.checkedRetention(),
                properties.commits());
    }

    @Bean
    @ConditionalOnBean(PostgresRunStore.class)
    @ConditionalOnMissingBean(QueueStore.class)
    QueueStore sagaQueueStore(PostgresRunStore store) {
        return store.queues();
    }

    @Bean
    RunQueues.Parts sagaRunQueues(
            ObjectProvider<QueueStore> store,
            ObjectProvider<RunQueue> queues,
            ObjectProvider<QueueListener> listeners,
            QueueProperties properties) {
        return new RunQueues.Parts(
                store.getIfAvailable(),
                () -> new Queues(queues.stream().toList(), properties.overrides()),
                properties.checkedConcurrency(),
                SingletonSupplier.of(() -> listeners.orderedStream().toList()));
    }

    @Bean(destroyMethod = "")
    RunEngine sagaRunEngine(
            RunStore store,
            ObjectProvider<DurableRun<?, ?>> code,
            ObjectProvider<RunCatalog.Source> more,
            ObjectProvider<PayloadCodec> codec,
            ObjectProvider<RunCarrier> carriers,
            Tenants tenants,
            ObjectProvider<OwnTransactions> own,
            ObjectProvider<PoolTransactions> transactions,
            Keeper keeper,
            @SagaExecutor ObjectProvider<Executor> executor,
            RunQueues.Parts queues,
            ObjectProvider<Pauses> pauses,
            RunProperties properties,
            RunDefaults defaults,
            Environment environment,
            ObjectProvider<RunListener> listeners) {
        if (store.guarantee() != RunStore.Guarantee.EXACT) {
            logger.warn(
                    "Runs are stored in {}, whose guarantee is {} instead of EXACT. A previous owner may still write to a run after another node has taken over.",
                    store,
                    store.guarantee());
        }
        PayloadCodec stored = codec.getIfAvailable(() -> new JsonPayloadCodec(properties.checkedMaxPayload()));
        return new RunEngine(
                new RunEngine.Parts(
                        store,
                        RunCatalog.lazily(() -> new RunCatalog(
                                        code.stream().toList(),
                                        more.stream()
                                                .flatMap(each -> each.code().stream())
                                                .toList(),
                                        stored))
                                .pausing(pausedKinds(pauses.getIfAvailable(), properties)),
                        stored,
                        PoolTransactions.steps(transactions.getIfAvailable(), own),
                        carriers.orderedStream().toList(),
                        tenants,
                        queues),
                keeper,
                executor.getIfAvailable(() -> ownThreads(environment)),
                properties.settings(defaults.steps(new PropertyOrigins(environment)::of)),
                listeners::orderedStream);
    }

    /** Reads the pauses about once in each poll interval, however often this node is woken. */
    private static Supplier<Set<String>> pausedKinds(@Nullable Pauses pauses, RunProperties properties) {
        Duration maxAge = properties.pollInterval().dividedBy(2);
        return pauses == null ? Set::of : () -> pauses.names(Pause.Kind.RUN, maxAge);
    }

    @Bean
    Runs sagaRuns(RunEngine engine) {
        return engine.runs();
    }

    @Bean
    @ConditionalOnBean(SagaSchema.class)
    PoolTransactions sagaRunTransactions(DataSourceChoice choice, ObjectProvider<PlatformTransactionManager> managers) {
        return new PoolTransactions(choice.require(), managers);
    }

    @Bean
    RunsWork sagaRunsWork(
            RunEngine engine,
            ObjectProvider<PoolTransactions> transactions,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            RunProperties properties) {
        transactions.ifAvailable(
                each -> warnIfPoolIsSmall(each.pool(), pools.stream().toList(), properties.concurrency()));
        return new RunsWork(engine);
    }

    private static void warnIfPoolIsSmall(
            DataSource pool, List<DataSourcePoolMetadataProvider> pools, int concurrency) {
        for (DataSourcePoolMetadataProvider each : pools) {
            DataSourcePoolMetadata metadata = each.getDataSourcePoolMetadata(pool);
            Integer most = metadata == null ? null : metadata.getMax();
            if (most != null && most > 0 && most < concurrency) {
                logger.warn(
                        "saga.runs.concurrency={} is greater than the pool's {} connections. Runs in transactional steps will therefore wait for each other's connections and delay requests. Lower saga.runs.concurrency or enlarge the pool.",
                        concurrency,
                        most);
            }
        }
    }

    @Bean
    Purge sagaRunPurge(RunStore store, RunProperties properties, Jobs jobs) {
        return new Purge("Purging runs", store::purge, properties.checkedPurgeInterval(), jobs);
    }

    @Bean
    RunCarrier sagaLogContextCarrier() {
        return Carriers.logContext();
    }

    @Bean
    RunCarrier sagaTraceCarrier(ObjectProvider<ObservationRegistry> observations, DashboardLinks links) {
        return Carriers.trace(observations.getIfUnique(() -> ObservationRegistry.NOOP), links::pageOf);
    }

    @Bean
    DashboardLinks sagaDashboardLinks(DashboardLinkProperties properties) {
        return DashboardLinks.to(properties.url());
    }

    @Bean
    RunListener sagaTroubleLinks(DashboardLinks links) {
        return new LinkedTroubles(links);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class Users {

        @Bean
        RunCarrier sagaUserCarrier() {
            return Carriers.user();
        }
    }

    /** Excludes runs from lazy initialization. This node cannot pick up a run whose bean does not exist at start-up. */
    @Bean
    static LazyInitializationExcludeFilter sagaRunsAreNeverLazy() {
        return (name, definition, type) -> DurableRun.class.isAssignableFrom(type);
    }

    /**
     * Creates the executor. The executor gets a task only when a slot is free, so it has about as many threads as there
     * are slots. A slot becomes free slightly before its thread, so an additional thread may exist briefly. The next
     * task goes to the thread that became idle last, because the pool usually gives a thread its last connection again,
     * which still has the prepared statements.
     */
    private static Executor ownThreads(Environment environment) {
        if (Threading.VIRTUAL.isActive(environment)) {
            SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor(THREADS);
            threads.setVirtualThreads(true);
            return threads;
        }
        CustomizableThreadFactory factory = new CustomizableThreadFactory(THREADS);
        factory.setDaemon(true);
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_TIME.toSeconds(), TimeUnit.SECONDS, new SynchronousQueue<>(), factory);
    }
}
