package io.sagaspring.autoconfigure;

import io.sagaspring.actuate.ActuateConfiguration;
import io.sagaspring.actuate.EndpointConfiguration;
import io.sagaspring.actuate.HealthLimits;
import io.sagaspring.fence.Keeper;
import io.sagaspring.run.RunState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for operators: the meters, the health indicator and the endpoints. Each of these three groups
 * exists only if the library that it needs is on the class path.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        after = {
            WorkflowAutoConfiguration.class,
            IdempotencyAutoConfiguration.class,
            LeaseAutoConfiguration.class,
            RunAutoConfiguration.class,
            SagaAutoConfiguration.class,
            ScheduleAutoConfiguration.class,
            ListenerAutoConfiguration.class,
            OperationsAutoConfiguration.class
        })
@ConditionalOnBean(Keeper.class)
@Import({ActuateConfiguration.class, EndpointConfiguration.class})
public class ActuateAutoConfiguration {

    ActuateAutoConfiguration() {}

    @Bean
    HealthLimits sagaHealthLimits(
            ObjectProvider<DueProperties> due,
            ObjectProvider<RunProperties> runs,
            ObjectProvider<DashboardLinks> links) {
        return new HealthLimits() {
            @Override
            public Duration dueWorkOverdueAfter() {
                return due.getObject().checkedOverdueAfter();
            }

            @Override
            public Duration runsOverdueAfter() {
                return runs.getObject().checkedOverdueAfter();
            }

            @Override
            public boolean isExecutingRuns() {
                return runs.getObject().concurrency() > 0;
            }

            @Override
            public @Nullable String pageOf(RunState state) {
                return links.getObject().listOf(state);
            }
        };
    }
}
