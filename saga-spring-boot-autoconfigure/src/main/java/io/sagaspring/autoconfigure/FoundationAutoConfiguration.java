package io.sagaspring.autoconfigure;

import io.sagaspring.database.HomeGuard;
import io.sagaspring.entity.PersistenceUnit;
import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.fence.Jobs;
import io.sagaspring.fence.JoinGuard;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.Purge;
import io.sagaspring.pause.Pauses;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.orm.jpa.EntityManagerHolder;

/**
 * Auto-configuration for the foundation of all capabilities: the library's own transactions, the heartbeat keeper, and
 * the lifecycle of background work.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = SchemaAutoConfiguration.class)
@Conditional(OnTablesOrOwnStore.class)
@ConditionalOnBooleanProperty(name = "saga.enabled", matchIfMissing = true)
@EnableConfigurationProperties(KeeperProperties.class)
@Lazy(false)
public class FoundationAutoConfiguration {

    private static final Duration TIMEOUT_IF_NONE = Duration.ofSeconds(30);

    FoundationAutoConfiguration() {}

    @Bean
    @ConditionalOnBean(SagaSchema.class)
    OwnTransactions sagaTransactions(
            DataSourceChoice choice, ObjectProvider<ConnectionSharing> sharing, Tenants tenants) {
        DataSource pool = choice.require();
        return new OwnTransactions(
                sharing.getIfAvailable(() -> unshared -> unshared).over(pool),
                tenants.areNone() ? JoinGuard.NONE : new HomeGuard(tenants, new OwnTransactions(pool)));
    }

    @Bean
    @ConditionalOnBean(SagaSchema.class)
    Pauses sagaPauses(SagaSchema schema, OwnTransactions own) {
        return new Pauses(schema, own, ElapsedClock.OF_THIS_MACHINE);
    }

    /** Lets the library's statements use the connection that the current thread already has. */
    @FunctionalInterface
    interface ConnectionSharing {
        DataSource over(DataSource pool);
    }

    /**
     * Shares the connection of the current entity manager. With JPA, a web request may hold that connection until the
     * request ends, and would otherwise need a second one.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({EntityManagerHolder.class, SharedSessionContractImplementor.class})
    static class EntityManagers {

        @Bean
        ConnectionSharing sagaConnectionSharing() {
            return PersistenceUnit::sharing;
        }
    }

    @Bean
    Tenants sagaTenants(ObjectProvider<TenantContext> context) {
        return Tenants.of(context.getIfAvailable());
    }

    @Bean
    static TransactionPhases sagaTransactionPhases() {
        return new TransactionPhases();
    }

    @Bean
    Keeper sagaKeeper(
            ObjectProvider<SagaSchema> schema,
            ObjectProvider<DataSourceChoice> choice,
            KeeperProperties properties,
            ObjectProvider<TakeoverTimeout> timeouts) {
        Duration shortest = timeouts.stream()
                .map(TakeoverTimeout::duration)
                .min(Duration::compareTo)
                .orElse(TIMEOUT_IF_NONE);
        Duration interval = properties.checkedInterval(shortest);
        SagaSchema tables = schema.getIfAvailable();
        DataSource connections = new NoConnections();
        if (tables != null) {
            DataSource pool = choice.getObject().require();
            connections =
                    properties.ownConnection() ? KeeperConnection.besides(pool, tables, interval, properties) : pool;
        }
        return new Keeper(connections, interval, ElapsedClock.OF_THIS_MACHINE, RequestThreads.check());
    }

    /**
     * Runs the library's background jobs without a Spring scheduler, so that the application's own schedulers are not
     * affected.
     */
    @Bean
    Jobs sagaJobs(Keeper keeper) {
        return new Jobs(keeper.loops());
    }

    @Bean
    Purges sagaPurges(ObjectProvider<Purge> purges) {
        return new Purges(purges.stream().toList());
    }

    @Bean
    NodeName sagaNodeName() {
        return new NodeName(ManagementFactory.getRuntimeMXBean().getName() + "-"
                + UUID.randomUUID().toString().substring(0, 8));
    }

    @Bean
    EngineLifecycle sagaEngineLifecycle(Keeper keeper) {
        return new EngineLifecycle(keeper);
    }

    @Bean
    WorkLifecycle sagaWorkLifecycle(
            ObjectProvider<BackgroundWork> work, ApplicationContext context, ConfigurableListableBeanFactory beans) {
        return new WorkLifecycle(
                () -> {
                    OnDurableListeners.requireNoneOverlooked(beans);
                    return work.stream().toList();
                },
                context);
    }
}
