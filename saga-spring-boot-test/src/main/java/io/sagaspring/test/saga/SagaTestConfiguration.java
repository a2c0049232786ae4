package io.sagaspring.test.saga;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunCarrier;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.Queues;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaListener;
import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepInterceptor;
import io.sagaspring.tenant.TenantContext;
import io.sagaspring.tenant.Tenants;
import java.lang.reflect.Modifier;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Defines the beans of every saga test, for both stores. */
@Configuration(proxyBeanMethods = false)
class SagaTestConfiguration {

    @Bean
    EffectLog sagaEffects() {
        return new EffectLog();
    }

    @Bean
    SagaListener sagaEventPublisher(ApplicationEventPublisher events) {
        return events::publishEvent;
    }

    /** Uses the application's {@code TenantContext} bean. Without one, a test may name any tenant. */
    @Bean
    Tenants sagaTestTenants(ObjectProvider<TenantContext> context) {
        return Tenants.of(context.getIfAvailable(AnyTenant::new));
    }

    @Bean(destroyMethod = "close")
    Nodes sagaNodes(
            TestStore store,
            SagaClock clock,
            Environment environment,
            DefaultListableBeanFactory beans,
            ObjectProvider<Saga<?>> sagas,
            ObjectProvider<DurableRun<?, ?>> runs,
            ObjectProvider<SagaListener> listeners,
            ObjectProvider<StepInterceptor> interceptors,
            ObjectProvider<RunListener> runListeners,
            ObjectProvider<RunCarrier> carriers,
            ObjectProvider<RunQueue> queues,
            Tenants tenants,
            ObjectProvider<PayloadCodec> codec) {
        TestSettings settings = TestSettings.of(environment);
        return new Nodes(
                store,
                clock,
                settings,
                new Nodes.Code(
                        sagas.orderedStream().toList(),
                        () -> runs.orderedStream().toList(),
                        type -> taskOf(type, beans),
                        listeners.orderedStream().toList(),
                        interceptors.orderedStream().toList(),
                        runListeners.orderedStream().toList(),
                        carriers.orderedStream().toList(),
                        codec.getIfAvailable(() -> new JsonPayloadCodec(settings.maxPayload())),
                        tenants,
                        () -> new Queues(queues.orderedStream().toList(), TestSettings.queues(environment))));
    }

    /** Returns the task bean of a saga. A class without a bean is registered here, so that a test need not name it. */
    private static Optional<SagaTask<?, ?>> taskOf(Class<?> type, DefaultListableBeanFactory beans) {
        boolean isClass = !type.isInterface() && !Modifier.isAbstract(type.getModifiers());
        if (isClass && beans.getBeanNamesForType(type).length == 0) {
            beans.registerBeanDefinition(type.getName(), new RootBeanDefinition(type));
        }
        return Optional.ofNullable((SagaTask<?, ?>) beans.getBeanProvider(type).getIfUnique());
    }

    /**
     * Creates the API of the sagas, which looks up the nodes only when it is called. The nodes are built from the saga
     * and task beans, and these may inject this API.
     */
    @Bean
    Sagas sagas(ObjectProvider<Nodes> nodes) {
        return new Sagas(() -> nodes.getObject().code(), () -> nodes.getObject().engine());
    }

    /** Creates the API of the runs before the run beans, because these may inject it. */
    @Bean
    Runs runs(Nodes nodes) {
        return nodes.engine().runs();
    }

    @Bean
    RunScenario runScenario(Nodes nodes, Runs runs, SagaClock clock, EffectLog effects, Tenants tenants) {
        return new RunScenario(nodes, runs, clock, effects, tenants);
    }

    @Bean
    SagaScenario sagaScenario(Nodes nodes, Sagas sagas, SagaClock clock, EffectLog effects, Tenants tenants) {
        return new SagaScenario(nodes, sagas, clock, effects, tenants);
    }
}
