package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.method.UnprotectedMethods;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Auto-configuration for applications without idempotency keys. It reports annotations that have no effect. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnMissingBean(IdempotencyKeys.class)
@Lazy(false)
class NoIdempotencyAutoConfiguration {

    @Bean
    static UnprotectedMethods sagaUnprotectedMethods(ConfigurableListableBeanFactory beans, Environment environment) {
        return new UnprotectedMethods(
                beans,
                Idempotent.class,
                SwitchedOff.by("saga.idempotency.enabled", environment)
                        .orElse("Without a data source there are no idempotency keys"),
                "run at each call, even if they have required = true and the call has no key");
    }
}
