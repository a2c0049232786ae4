package io.sagaspring.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for claims.
 *
 * @param enabled Whether workflows, their claims and their janitors are available to the application.
 * @param maxDuration Time after which an action is interrupted and its claim is no longer kept alive.
 */
@ConfigurationProperties("saga.claims")
record ClaimProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("30m") Duration maxDuration) {

    Duration checkedMaxDuration() {
        return Limits.atLeast("saga.claims.max-duration", maxDuration, Duration.ofSeconds(1));
    }
}
