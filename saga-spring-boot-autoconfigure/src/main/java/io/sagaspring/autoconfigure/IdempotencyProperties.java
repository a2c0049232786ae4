package io.sagaspring.autoconfigure;

import io.sagaspring.idempotency.KeySettings;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.util.unit.DataSize;

/**
 * Settings for idempotency keys.
 *
 * @param enabled Whether idempotency keys are enabled.
 * @param retention How long a key is kept, counted from its claim.
 * @param leaseTtl How long a key stays assigned to a node after that node's last heartbeat.
 * @param maxDuration Time after which a key's work is interrupted and its claim is no longer renewed.
 * @param transactionPatience How long a duplicate request waits for the transaction that has claimed its key.
 * @param transactionWaiters How many callers may hold a connection while waiting for a key. If not set, a quarter of the pool.
 * @param purgeInterval Time between two deletions of expired keys.
 * @param maxReplySize Largest reply that is stored.
 * @param maxKeysPerOwner Approximate limit of keys per owner. 0 means no limit.
 * @param http Settings for handlers of web requests.
 */
@ConfigurationProperties("saga.idempotency")
record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("24h") Duration retention,
        @DefaultValue("30s") Duration leaseTtl,
        @DefaultValue("30m") Duration maxDuration,
        @DefaultValue("5s") Duration transactionPatience,
        @Nullable Integer transactionWaiters,
        @DefaultValue("10m") Duration purgeInterval,
        @DefaultValue("1MB") DataSize maxReplySize,
        @DefaultValue("0") int maxKeysPerOwner,
        @DefaultValue Http http) {

    /**
     * Settings for handlers of web requests.
     *
     * @param maxRequestSize Largest request body that is accepted with a key.
     * @param replayedHeaders Response headers that are stored and replayed with the response.
     */
    record Http(
            @DefaultValue("1MB") DataSize maxRequestSize,

            @DefaultValue({
                "Cache-Control",
                "Content-Disposition",
                "Content-Language",
                "Content-Location",
                "Content-Security-Policy",
                "Content-Security-Policy-Report-Only",
                "Content-Type",
                "Cross-Origin-Embedder-Policy",
                "Cross-Origin-Opener-Policy",
                "Cross-Origin-Resource-Policy",
                "ETag",
                "Last-Modified",
                "Link",
                "Location",
                "Permissions-Policy",
                "Referrer-Policy",
                "Vary",
                "X-Content-Type-Options",
                "X-Frame-Options"
            })
            Set<String> replayedHeaders) {}

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int WAITERS_IF_POOL_SIZE_IS_UNKNOWN = 2;

    KeySettings settings() {
        Duration longest = Limits.atLeast("saga.idempotency.max-duration", maxDuration, checkedLease());
        return new KeySettings(
                // If the retention were shorter than the work may take, a reply could already be expired when it is
                // stored.
                Limits.atLeast("saga.idempotency.retention", retention, longest),
                checkedLease(),
                longest,
                Limits.atLeast("saga.idempotency.transaction-patience", transactionPatience, Duration.ofMillis(1)));
    }

    int transactionWaiters(DataSource pool, Stream<DataSourcePoolMetadataProvider> providers) {
        if (transactionWaiters == null) {
            DataSourcePoolMetadata metadata =
                    new CompositeDataSourcePoolMetadataProvider(providers.toList()).getDataSourcePoolMetadata(pool);
            Integer most = metadata == null ? null : metadata.getMax();
            return most == null || most < 0 ? WAITERS_IF_POOL_SIZE_IS_UNKNOWN : most / 4;
        }
        return Limits.atLeast("saga.idempotency.transaction-waiters", transactionWaiters, 0);
    }

    Duration checkedLease() {
        return Limits.atLeast("saga.idempotency.lease-ttl", leaseTtl, SECOND);
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.idempotency.purge-interval", purgeInterval, SECOND);
    }

    int checkedMaxKeysPerOwner() {
        return Limits.atLeast("saga.idempotency.max-keys-per-owner", maxKeysPerOwner, 0);
    }

    int checkedMaxReplySize() {
        return Limits.bytes("saga.idempotency.max-reply-size", maxReplySize);
    }

    int checkedMaxRequestSize() {
        return Limits.bytes("saga.idempotency.http.max-request-size", http.maxRequestSize());
    }
}
