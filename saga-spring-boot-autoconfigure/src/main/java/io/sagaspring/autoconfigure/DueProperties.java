package io.sagaspring.autoconfigure;

import io.sagaspring.due.DueWork;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for due work, such as after-effects.
 *
 * @param concurrency Number of pieces of work that this node does at once.
 * @param pollInterval Time between two looks for work that another node has left.
 * @param leaseTtl Time after which the work of a node that died is done again.
 * @param maxDuration Time after which one attempt is interrupted.
 * @param shutdownGrace Time for which a closing node lets work go on. Then it is interrupted and given back.
 * @param maxAttempts Number of attempts before work is parked.
 * @param firstDelay Pause after the first failure. Later pauses double.
 * @param maxDelay Longest pause between two attempts.
 * @param overdueAfter Time for which work may be due and not picked up before health reports it.
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
                new DueWork.Retries(
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
