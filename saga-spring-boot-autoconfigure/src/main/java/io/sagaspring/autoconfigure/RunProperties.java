package io.sagaspring.autoconfigure;

import io.sagaspring.due.Pickup;
import io.sagaspring.run.RunEngine;
import io.sagaspring.run.postgres.PostgresRunStore;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings for durable runs.
 *
 * @param enabled Whether durable runs are enabled.
 * @param concurrency How many runs this node executes at the same time. 0 means none.
 * @param pollInterval Time between two searches for due runs.
 * @param leaseTtl How long a run stays assigned to a node after that node's last heartbeat.
 * @param shutdownGrace How long steps may continue during a shutdown. Then their runs are interrupted and released.
 * @param groupCommit Whether runs that write at the same moment share a commit.
 * @param maxAttempts How often a run is picked up without progress before it is parked.
 * @param blockedInterval Time after which a node checks again whether a blocked run can continue.
 * @param maxPayloadSize Largest input, result or signal of a run.
 * @param slowStepAfter How long a step may take before the stack of its thread is logged once.
 * @param overdueAfter How long a run may be due and not picked up before health reports it.
 * @param retention How long an ended run and its key are kept. At least 7 days.
 * @param purgeInterval Time between two deletions of runs that ended longer ago than saga.runs.retention.
 */
@ConfigurationProperties("saga.runs")
record RunProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("8") int concurrency,
        @DefaultValue("500ms") Duration pollInterval,
        @DefaultValue("30s") Duration leaseTtl,
        @DefaultValue("10s") Duration shutdownGrace,
        @DefaultValue("true") boolean groupCommit,
        @DefaultValue("10") int maxAttempts,
        @DefaultValue("1m") Duration blockedInterval,
        @DefaultValue("1MB") DataSize maxPayloadSize,
        @DefaultValue("1m") Duration slowStepAfter,
        @DefaultValue("1m") Duration overdueAfter,
        @DefaultValue("30d") Duration retention,
        @DefaultValue("1h") Duration purgeInterval) {

    private static final Duration LEAST = Duration.ofMillis(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** The lease of a run is renewed as long as its code is executing. Only the run's own deadline limits that time. */
    private static final Duration NO_MAXIMUM = Duration.ofDays(36_500);

    RunEngine.Settings settings() {
        return new RunEngine.Settings(
                Limits.atLeast("saga.runs.max-attempts", maxAttempts, 1),
                Limits.atLeast("saga.runs.blocked-interval", blockedInterval, SECOND),
                Limits.atLeast("saga.runs.slow-step-after", slowStepAfter, LEAST),
                new Pickup.Settings(
                        "runs",
                        Limits.atLeast("saga.runs.concurrency", concurrency, 0),
                        Limits.atLeast("saga.runs.poll-interval", pollInterval, LEAST),
                        checkedLeaseTtl(),
                        NO_MAXIMUM,
                        Limits.atLeast("saga.runs.shutdown-grace", shutdownGrace, Duration.ZERO)));
    }

    PostgresRunStore.Commits commits() {
        return groupCommit ? PostgresRunStore.Commits.SHARED : PostgresRunStore.Commits.SEPARATE;
    }

    Duration checkedLeaseTtl() {
        return Limits.atLeast("saga.runs.lease-ttl", leaseTtl, SECOND);
    }

    Duration checkedRetention() {
        return Limits.atLeast("saga.runs.retention", retention, Duration.ofDays(7));
    }

    Duration checkedPurgeInterval() {
        return Limits.atLeast("saga.runs.purge-interval", purgeInterval, SECOND);
    }

    Duration checkedOverdueAfter() {
        return Limits.atLeast("saga.runs.overdue-after", overdueAfter, LEAST);
    }

    int checkedMaxPayload() {
        return Limits.bytes("saga.runs.max-payload-size", maxPayloadSize);
    }
}
