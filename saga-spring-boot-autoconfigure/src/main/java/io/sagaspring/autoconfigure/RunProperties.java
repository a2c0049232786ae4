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
 * @param enabled Whether durable runs are available to the application.
 * @param concurrency Number of runs that this node drives at once. With 0 this node executes no run: it starts, signals, awaits and
 *     queries runs that other nodes execute.
 * @param pollInterval Time between two looks for runs that are due, or that another node has left.
 * @param leaseTtl Time after which a run is taken up by another node, when the one that drives it was last heard of.
 * @param shutdownGrace Time for which a closing node lets the steps go on that it is in. Then they are interrupted and their
 *     runs given back.
 * @param groupCommit Whether runs that have something to write at the same moment share a commit.
 * @param maxAttempts Number of times that a run is taken up without coming any further, before it is parked.
 * @param blockedInterval Time after which a run is looked at again whose journal does not fit the code.
 * @param maxPayloadSize Largest input, result or signal.
 * @param slowStepAfter Time after which a step that has not returned is logged, once, with the place that its thread is at.
 * @param overdueAfter Time for which a run may be due and not picked up before health reports it.
 * @param retention How long an ended run and its key are kept. At least 7 days.
 * @param purgeInterval Time between two removals of runs that were over long ago.
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

    /** A run is renewed for as long as its code lasts: its own deadline bounds it. */
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
