package io.sagaspring.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for leases.
 *
 * @param enabled Whether leases are available to the application.
 * @param store Where leases are kept.
 * @param ttl Time for which a holder may be silent; shorter ones cannot be asked for.
 * @param retention Time for which a name is known that nobody uses any more, and with it that its work is at its end.
 * @param purgeInterval Time between two removals of names that nobody uses any more.
 */
@ConfigurationProperties("saga.leases")
record LeaseProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("postgres") Store store,
        @DefaultValue("30s") Duration ttl,
        @DefaultValue("30d") Duration retention,
        @DefaultValue("1h") Duration purgeInterval) {

    /** Where leases may be kept. */
    enum Store {
        /** In the table saga_lease. */
        POSTGRES,
        /** On the Redis of the application. */
        REDIS,
        /** In this process alone. */
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
