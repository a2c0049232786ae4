package io.sagaspring.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for the audit of operations.
 *
 * @param retention How long an operation is kept in the audit.
 * @param purgeInterval Time between two deletions of operations whose retention has ended.
 */
@ConfigurationProperties("saga.audit")
record AuditProperties(
        @DefaultValue("90d") Duration retention,
        @DefaultValue("1h") Duration purgeInterval) {

    private static final Duration SECOND = Duration.ofSeconds(1);

    Duration checkedRetention() {
        return Limits.atLeast("saga.audit.retention", retention, SECOND);
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.audit.purge-interval", purgeInterval, SECOND);
    }
}
