package io.sagaspring.autoconfigure;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for sagas.
 *
 * @param enabled Whether sagas are available to the application.
 * @param callbackKeys Secrets from which the tokens of callbacks are made. The first makes them, each is accepted.
 */
@ConfigurationProperties("saga.sagas")
record SagaProperties(
        @DefaultValue("true") boolean enabled, @DefaultValue List<String> callbackKeys) {

    @Override
    public String toString() {
        return "SagaProperties[enabled=%s, %d callback keys]".formatted(enabled, callbackKeys.size());
    }
}
