package io.sagaspring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.run.VisibleRuns;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaCode;
import io.sagaspring.saga.SagaListener;
import io.sagaspring.saga.SagaTask;
import io.sagaspring.saga.Sagas;
import io.sagaspring.saga.StepInterceptor;
import io.sagaspring.tenant.Tenants;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for sagas, which the library executes as durable runs.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RunAutoConfiguration.class)
@ConditionalOnBean(Runs.class)
@ConditionalOnBooleanProperty(name = "saga.sagas.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SagaProperties.class)
@Lazy(false)
public class SagaAutoConfiguration {

    SagaAutoConfiguration() {}

    @Bean
    SagaCode sagaCode(
            ObjectProvider<Saga<?>> sagas,
            ListableBeanFactory beans,
            RunStore store,
            Tenants tenants,
            SagaProperties properties,
            RunDefaults defaults,
            Environment environment,
            ObjectProvider<SagaListener> listeners,
            ObjectProvider<StepInterceptor> interceptors,
            ObjectProvider<PayloadCodec> codec) {
        SagaCode.Parts parts = new SagaCode.Parts(
                sagas.orderedStream().toList(),
                type -> taskOf(type, beans),
                properties.checkedCallbackKeys(),
                new VisibleRuns(store, tenants),
                listeners.orderedStream().toList(),
                interceptors.orderedStream().toList(),
                codec.getIfAvailable(() -> new JsonPayloadCodec(Integer.MAX_VALUE)));
        return new SagaCode(parts, defaults.steps(new PropertyOrigins(environment)::of));
    }

    private static Optional<SagaTask<?, ?>> taskOf(Class<?> type, ListableBeanFactory beans) {
        return Optional.ofNullable((SagaTask<?, ?>) beans.getBeanProvider(type).getIfUnique());
    }

    @Bean
    Sagas sagas(ObjectProvider<SagaCode> code, ObjectProvider<RunEngine> engine) {
        return new Sagas(code::getObject, engine::getObject);
    }

    /** Passes the events of runs on to the listeners of sagas. */
    @Bean
    RunListener sagaExecutionListener(SagaCode code) {
        return code.listener();
    }

    @Bean
    SagaListener sagaEventPublisher(ApplicationEventPublisher events) {
        return events::publishEvent;
    }

    @Bean
    @Order(1)
    StepInterceptor sagaStepObservations(ObjectProvider<ObservationRegistry> observations, DashboardLinks links) {
        return new ObservedSteps(observations.getIfUnique(() -> ObservationRegistry.NOOP), links);
    }

    @Bean
    @Order(2)
    StepInterceptor sagaStepLogContext() {
        return new LoggedSteps();
    }

    /**
     * Excludes sagas from lazy initialization. This node cannot pick up the executions of a saga whose bean does not
     * exist at start-up.
     */
    @Bean
    static LazyInitializationExcludeFilter sagaSagasAreNeverLazy() {
        return (name, definition, type) -> Saga.class.isAssignableFrom(type);
    }
}
