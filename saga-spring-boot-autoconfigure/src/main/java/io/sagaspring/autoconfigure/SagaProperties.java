package io.sagaspring.autoconfigure;

import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Settings for sagas.
 *
 * @param enabled Whether sagas are enabled.
 * @param callbackKeys Secrets for callback tokens. New tokens use the first secret. All secrets are accepted.
 * @param allowExampleKeys Whether callback keys from published examples are accepted. Only for demonstrations on your machine.
 */
@ConfigurationProperties("saga.sagas")
record SagaProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue List<String> callbackKeys,
        @DefaultValue("false") boolean allowExampleKeys) {

    private static final Logger LOG = LoggerFactory.getLogger(SagaProperties.class);

    /** The keys that this library's examples have published. */
    private static final Set<String> PUBLISHED = Set.of(
            "only-for-trying-out-and-known-to-everybody",
            "only-a-sample-may-have-this-in-its-repository",
            "a-callback-key-that-is-for-tests-only");

    /**
     * Checks and returns the keys. If they were checked during binding, the fault would be reported without its line.
     */
    List<String> checkedCallbackKeys() {
        for (int index = 0; index < callbackKeys.size(); index++) {
            String key = callbackKeys.get(index);
            if (PUBLISHED.contains(key.strip())) {
                String property = "saga.sagas.callback-keys[" + index + "]";
                if (!allowExampleKeys) {
                    throw new InvalidConfigurationPropertyValueException(
                            property,
                            key,
                            "It is a published example, so anyone could forge callbacks. Set a secret of your own, such as the output of 'openssl rand -base64 32'.");
                }
                LOG.warn(
                        "{} is a published example: anyone can forge callbacks. Use it on your own machine only.",
                        property);
            }
        }
        return callbackKeys;
    }

    @Override
    public String toString() {
        return "SagaProperties[enabled=%s, %d callback keys]".formatted(enabled, callbackKeys.size());
    }
}
