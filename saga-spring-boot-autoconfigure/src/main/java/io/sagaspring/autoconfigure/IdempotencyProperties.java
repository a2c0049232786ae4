package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.KeySettings;
import java.time.Duration;
import java.util.Set;
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
 * @param maxReplySize Largest reply that is stored.
 * @param http Settings for handlers of web requests.
 */
@ConfigurationProperties("saga.idempotency")
record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("24h") Duration retention,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("30m") Duration maxDuration,
        @DefaultValue("5s") Duration transactionPatience,
        @DefaultValue("10m") Duration purgeInterval,
        @DefaultValue("1MB") DataSize maxReplySize,
        @DefaultValue Http http) {

    /**
     * Settings for handlers of web requests.
     *
     * @param maxRequestSize Largest body of a request with a key.
     * @param replayedHeaders Headers of a response that are replayed with it.
     */
    record Http(
            @DefaultValue("1MB") DataSize maxRequestSize,

            @DefaultValue({
                "Cache-Control",
                "Content-Disposition",
                "Content-Language",
                "Content-Type",
                "ETag",
                "Link",
                "Location"
            })
            Set<String> replayedHeaders) {}

    private static final Duration SECOND = Duration.ofSeconds(1);

    KeySettings settings() {
        Duration longest = Limits.atLeast("saga.idempotency.max-duration", maxDuration, checkedLease());
        return new KeySettings(
                // Shorter, a reply could be too old when it is stored.
                Limits.atLeast("saga.idempotency.retention", retention, longest),
                checkedLease(),
                longest,
                Limits.atLeast("saga.idempotency.transaction-patience", transactionPatience, Duration.ofMillis(1)));
    }

    Duration checkedLease() {
        return Limits.atLeast("saga.idempotency.lease", lease, SECOND);
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.idempotency.purge-interval", purgeInterval, SECOND);
    }

    int checkedMaxReplySize() {
        return Limits.bytes("saga.idempotency.max-reply-size", maxReplySize);
    }

    int checkedMaxRequestSize() {
        return Limits.bytes("saga.idempotency.http.max-request-size", http.maxRequestSize());
    }
}
