package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Keeper;
import io.sagaspring.listener.DurableListener;
import io.sagaspring.method.UnprotectedMethods;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Auto-configuration for applications that cannot store events. It reports annotations that have no effect. */
@AutoConfiguration(after = FoundationAutoConfiguration.class)
@ConditionalOnMissingBean(Keeper.class)
@Lazy(false)
class NoListenerAutoConfiguration {

    @Bean
    static UnprotectedMethods sagaDeafListeners(ConfigurableListableBeanFactory beans, Environment environment) {
        return new UnprotectedMethods(
                beans,
                DurableListener.class,
                SwitchedOff.by("saga.enabled", environment)
                        .orElse("Without a data source there are no durable listeners"),
                "receive no events");
    }
}
