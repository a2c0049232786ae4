package io.sagaspring.autoconfigure;

import io.sagaspring.due.DueWork;
import io.sagaspring.due.Retries;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for background work, such as after-effects.
 *
 * @param concurrency How many pieces of background work this node executes at the same time.
 * @param pollInterval Time between two searches for due background work.
 * @param leaseTtl How long background work stays assigned to a node after that node's last heartbeat.
 * @param maxDuration How long one attempt may run before it is interrupted.
 * @param shutdownGrace How long background work may continue during a shutdown before it is interrupted and released.
 * @param maxAttempts Number of attempts before background work is parked.
 * @param firstDelay Pause after the first failed attempt. It doubles with each further attempt, up to saga.due.max-delay.
 * @param maxDelay Longest pause between two attempts.
 * @param overdueAfter How long background work may be due and not picked up before health reports it.
 */
@ConfigurationProperties("saga.due")
record DueProperties(
        @DefaultValue("4") int concurrency,
        @DefaultValue("5s") Duration pollInterval,
        @DefaultValue("30s") Duration leaseTtl,
        @DefaultValue("15m") Duration maxDuration,
        @DefaultValue("10s") Duration shutdownGrace,
        @DefaultValue("10") int maxAttempts,
        @DefaultValue("1s") Duration firstDelay,
        @DefaultValue("10m") Duration maxDelay,
        @DefaultValue("1m") Duration overdueAfter) {

    private static final Duration LEAST = Duration.ofMillis(10);

    DueWork.Settings settings() {
        Limits.atLeast("saga.due.first-delay", firstDelay, LEAST);
        return new DueWork.Settings(
                Limits.atLeast("saga.due.concurrency", concurrency, 1),
                Limits.atLeast("saga.due.poll-interval", pollInterval, LEAST),
                checkedLease(),
                Limits.atLeast("saga.due.max-duration", maxDuration, LEAST),
                Limits.atLeast("saga.due.shutdown-grace", shutdownGrace, Duration.ZERO),
                new Retries(
                        Limits.atLeast("saga.due.max-attempts", maxAttempts, 1),
                        firstDelay,
                        Limits.atLeast("saga.due.max-delay", maxDelay, firstDelay)));
    }

    Duration checkedOverdueAfter() {
        return Limits.atLeast("saga.due.overdue-after", overdueAfter, LEAST);
    }

    Duration checkedLease() {
        return Limits.atLeast("saga.due.lease-ttl", leaseTtl, Duration.ofSeconds(1));
    }
}
