package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.listener.Deliveries;
import io.sagaspring.listener.DeliveryObserver;
import io.sagaspring.listener.DeliveryStore;
import io.sagaspring.listener.ListenerCatalog;
import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.listener.PostgresDeliveryStore;
import io.sagaspring.listener.PublishedEvents;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.CarriedContext;
import io.sagaspring.run.Payloads;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.schema.SagaSchema;
import io.sagaspring.tenant.Tenants;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for durable listeners. An application without a {@link io.sagaspring.listener.DurableListener} has
 * none of these beans.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {FoundationAutoConfiguration.class, RunAutoConfiguration.class})
@ConditionalOnBean(Keeper.class)
@Lazy(false)
public class ListenerAutoConfiguration {

    ListenerAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @Conditional(OnDurableListeners.class)
    @EnableConfigurationProperties(ListenerProperties.class)
    static class Listening {

        @Bean
        TakeoverTimeout sagaListenerWindow(ListenerProperties properties) {
            return new TakeoverTimeout(properties.checkedLease());
        }

        @Bean
        @ConditionalOnBean(SagaSchema.class)
        @ConditionalOnMissingBean(DeliveryStore.class)
        PostgresDeliveryStore sagaDeliveryStore(
                SagaSchema schema,
                NodeName node,
                OwnTransactions own,
                DataSourceChoice choice,
                ListenerProperties properties) {
            return new PostgresDeliveryStore(schema, node.value(), own, choice.require(), properties.checkedLease());
        }

        @Bean(destroyMethod = "")
        ListenerEngine sagaListenerEngine(
                DeliveryStore store,
                ObjectProvider<PayloadCodec> codec,
                ObjectProvider<RunCarrier> carriers,
                ObjectProvider<PoolTransactions> pool,
                ObjectProvider<OwnTransactions> own,
                Tenants tenants,
                ListenerProperties properties,
                Environment environment,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<DeliveryObserver> observers) {
            PayloadCodec stored = codec.getIfAvailable(() -> new JsonPayloadCodec(properties.checkedMaxPayload()));
            PoolTransactions transactions = store.joinsTransactions() ? pool.getIfAvailable() : null;
            return new ListenerEngine(
                    new ListenerEngine.Parts(
                            store,
                            () -> ListenerCatalog.read(
                                    beans,
                                    stored,
                                    properties.settings(transactions != null, new PropertyOrigins(environment)::of)),
                            beans::getBean,
                            new CarriedContext(
                                    new Payloads(stored),
                                    carriers.orderedStream().toList(),
                                    tenants),
                            stored,
                            PoolTransactions.steps(transactions, own),
                            () -> observers.orderedStream().toList()),
                    properties.engine());
        }

        /**
         * The engine is looked up when the first event is published, because this listener may be created before the
         * beans that the engine needs.
         */
        @Bean
        static PublishedEvents sagaPublishedEvents(ObjectProvider<ListenerEngine> engine) {
            Supplier<ListenerEngine> found = SingletonSupplier.of(engine::getObject);
            return new PublishedEvents(event -> found.get().publish(event));
        }

        @Bean
        Deliveries sagaDeliveries(ListenerEngine engine) {
            return engine.deliveries();
        }

        @Bean
        ListenersWork sagaListenersWork(
                ListenerEngine engine,
                Keeper keeper,
                @SagaExecutor ObjectProvider<Executor> executor,
                ListenerProperties properties,
                Environment environment) {
            return new ListenersWork(
                    engine, keeper, executor.getIfAvailable(() -> ownThreads(environment)), properties.enabled());
        }

        private static Executor ownThreads(Environment environment) {
            SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("saga-listener-");
            threads.setVirtualThreads(Threading.VIRTUAL.isActive(environment));
            return threads;
        }
    }
}
