package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.IdempotencyKeys;
import io.sagaspring.idempotency.method.UnprotectedMethods;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Auto-configuration for applications without keys: that an annotation does nothing must not go without saying. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnMissingBean(IdempotencyKeys.class)
@Lazy(false)
public class NoIdempotencyAutoConfiguration {

    NoIdempotencyAutoConfiguration() {}

    @Bean
    static UnprotectedMethods sagaUnprotectedMethods(ConfigurableListableBeanFactory beans, Environment environment) {
        return new UnprotectedMethods(beans, reason(environment));
    }

    private static String reason(Environment environment) {
        return Stream.of("saga.enabled", "saga.idempotency.enabled")
                .filter(each -> !environment.getProperty(each, Boolean.class, true))
                .findFirst()
                .map("%s is false"::formatted)
                .orElse("Without a data source there are no keys");
    }
}
