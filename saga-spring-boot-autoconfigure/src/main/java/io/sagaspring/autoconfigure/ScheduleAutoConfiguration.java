package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.RunStore;
import io.sagaspring.run.Runs;
import io.sagaspring.schedule.PostgresScheduleStore;
import io.sagaspring.schedule.RunSchedule;
import io.sagaspring.schedule.ScheduleCatalog;
import io.sagaspring.schedule.ScheduleEngine;
import io.sagaspring.schedule.ScheduleListener;
import io.sagaspring.schedule.ScheduleStore;
import io.sagaspring.schedule.Schedules;
import io.sagaspring.schema.SagaSchema;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for schedules. An application without a bean that is annotated with {@link RunSchedule} has none
 * of these beans.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = SagaAutoConfiguration.class)
@ConditionalOnBean(Runs.class)
@Lazy(false)
public class ScheduleAutoConfiguration {

    ScheduleAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(annotation = RunSchedule.class)
    @EnableConfigurationProperties(ScheduleProperties.class)
    static class Scheduled {

        @Bean
        @ConditionalOnBean(SagaSchema.class)
        @ConditionalOnMissingBean(ScheduleStore.class)
        PostgresScheduleStore sagaScheduleStore(SagaSchema schema, OwnTransactions own, DataSourceChoice choice) {
            return new PostgresScheduleStore(schema, own, choice.require());
        }

        @Bean(destroyMethod = "")
        ScheduleEngine sagaScheduleEngine(
                ScheduleStore store,
                RunStore runs,
                ObjectProvider<RunEngine> engine,
                ObjectProvider<ScheduleListener> listeners,
                NodeName node,
                ScheduleProperties properties,
                Environment environment,
                ListableBeanFactory beans) {
            ScheduleSources sources = new ScheduleSources(
                    properties.named(), () -> engine.getObject().queueNames(), environment, beans);
            return new ScheduleEngine(
                    new ScheduleEngine.Parts(
                            store,
                            runs,
                            () -> ScheduleCatalog.read(engine.getObject().code(), sources),
                            engine::getObject,
                            () -> listeners.orderedStream().toList()),
                    new ScheduleEngine.Settings(
                            node.value(), properties.checkedPollInterval(), properties.checkedOnTimeWithin()));
        }

        @Bean
        Schedules sagaSchedules(ScheduleEngine engine) {
            return engine.schedules();
        }

        @Bean
        SchedulesWork sagaSchedulesWork(ScheduleEngine engine, Keeper keeper, ScheduleProperties properties) {
            return new SchedulesWork(engine, keeper, properties.enabled());
        }
    }
}
