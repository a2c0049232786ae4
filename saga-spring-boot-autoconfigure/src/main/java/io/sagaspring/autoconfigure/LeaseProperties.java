package io.sagaspring.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for leases.
 *
 * @param enabled Whether leases are enabled.
 * @param store Where leases are stored: in postgres, redis or memory.
 * @param ttl How long a lease lasts after its last heartbeat. Code can set a longer time for a lease, but no shorter one.
 * @param retention How long an unused lease name is kept, including the record that its work is complete.
 * @param purgeInterval Time between two deletions of unused lease names.
 */
@ConfigurationProperties("saga.leases")
record LeaseProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("postgres") Store store,
        @DefaultValue("30s") Duration ttl,
        @DefaultValue("30d") Duration retention,
        @DefaultValue("1h") Duration purgeInterval) {

    /** The stores for leases. */
    enum Store {
        /** The table saga_lease. */
        POSTGRES,
        /** The application's Redis. */
        REDIS,
        /** The memory of this process. */
        MEMORY
    }

    private static final Duration SECOND = Duration.ofSeconds(1);

    Duration checkedTtl() {
        return Limits.atLeast("saga.leases.ttl", ttl, SECOND);
    }

    Duration checkedRetention() {
        return Limits.atLeast("saga.leases.retention", retention, Duration.ofDays(1));
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.leases.purge-interval", purgeInterval, SECOND);
    }
}
