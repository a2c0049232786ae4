package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.KeySettings;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings for idempotency keys.
 *
 * @param enabled Whether idempotency keys are available to the application.
 * @param retention Time for which a key is known, counted from its claim.
 * @param lease Time after which the claim of a node that died may be taken over.
 * @param maxDuration Time after which work is interrupted and its claim is no longer kept alive.
 * @param transactionPatience Time for which a repetition waits for the transaction that has its key.
 * @param purgeInterval Time between two removals of keys that are too old.
 * @param maxReplySize Largest reply of a method that is stored.
 */
@ConfigurationProperties("saga.idempotency")
record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("24h") Duration retention,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("30m") Duration maxDuration,
        @DefaultValue("5s") Duration transactionPatience,
        @DefaultValue("10m") Duration purgeInterval,
        @DefaultValue("1MB") DataSize maxReplySize) {

    private static final Duration SECOND = Duration.ofSeconds(1);

    KeySettings settings() {
        return new KeySettings(
                Limits.atLeast("saga.idempotency.retention", retention, SECOND),
                checkedLease(),
                Limits.atLeast("saga.idempotency.max-duration", maxDuration, checkedLease()),
                Limits.atLeast("saga.idempotency.transaction-patience", transactionPatience, Duration.ofMillis(1)));
    }

    Duration checkedLease() {
        return Limits.atLeast("saga.idempotency.lease", lease, SECOND);
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.idempotency.purge-interval", purgeInterval, SECOND);
    }

    int checkedMaxReplySize() {
        return Math.toIntExact(Math.min(Integer.MAX_VALUE - 1, Math.max(1, maxReplySize.toBytes())));
    }
}
