package io.sagaspring.autoconfigure;

import io.sagaspring.lease.Leased;
import io.sagaspring.lease.method.LeasedPostProcessor;
import io.sagaspring.method.UnprotectedMethods;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Auto-configuration for applications without leases. It reports annotations that have no effect. */
@AutoConfiguration(after = LeaseAutoConfiguration.class)
@ConditionalOnMissingBean(LeasedPostProcessor.class)
@Lazy(false)
class NoLeaseAutoConfiguration {

    @Bean
    static UnprotectedMethods sagaUnleasedMethods(ConfigurableListableBeanFactory beans, Environment environment) {
        return new UnprotectedMethods(
                beans,
                Leased.class,
                SwitchedOff.by("saga.leases.enabled", environment).orElse("Without a data source there are no leases"),
                "run without a lease, so several callers can run them at the same time");
    }
}
