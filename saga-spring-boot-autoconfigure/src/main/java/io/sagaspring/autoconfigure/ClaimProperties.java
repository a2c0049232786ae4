package io.sagaspring.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for claims.
 *
 * @param enabled Whether workflows, their claims and their janitors are enabled.
 * @param maxDuration Time after which an action is interrupted and its claim is no longer renewed.
 * @param effectKeyRetention How long an effect key is kept after its step has taken effect.
 * @param purgeInterval Time between two deletions of expired effect keys.
 * @param writeLastModified Whether claims, releases and reverts also set the entity's last-modified time.
 */
@ConfigurationProperties("saga.claims")
record ClaimProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("30m") Duration maxDuration,
        @DefaultValue("30d") Duration effectKeyRetention,
        @DefaultValue("1h") Duration purgeInterval,
        @DefaultValue("false") boolean writeLastModified) {

    Duration checkedMaxDuration() {
        return Limits.atLeast("saga.claims.max-duration", maxDuration, Duration.ofSeconds(1));
    }

    Duration checkedEffectKeyRetention() {
        return Limits.atLeast("saga.claims.effect-key-retention", effectKeyRetention, Duration.ofHours(1));
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.claims.purge-interval", purgeInterval, Duration.ofSeconds(1));
    }
}
