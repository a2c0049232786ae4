package io.sagaspring.autoconfigure;

import io.sagaspring.listener.ListenerEngine;
import io.sagaspring.listener.ListenerSettings;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings for durable listeners.
 *
 * @param enabled Whether this node delivers events to durable listeners. The node stores events in any case.
 * @param concurrency How many events this node delivers to each listener at the same time.
 * @param pollInterval Time between two searches for events to deliver.
 * @param leaseTtl How long a delivery stays assigned to a node after that node's last heartbeat.
 * @param maxDuration How long one attempt may run before it is interrupted.
 * @param shutdownGrace How long deliveries may continue during a shutdown before they are interrupted and released.
 * @param delay Pause after the first failed attempt. It doubles with each further attempt, up to saga.listeners.max-delay.
 * @param maxDelay Longest pause between two attempts.
 * @param maxPayloadSize Largest size of a stored event.
 * @param byId Settings of single listeners, which override their annotations.
 */
@ConfigurationProperties("saga.listeners")
record ListenerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("4") int concurrency,
        @DefaultValue("5s") Duration pollInterval,
        @DefaultValue("30s") Duration leaseTtl,
        @DefaultValue("15m") Duration maxDuration,
        @DefaultValue("10s") Duration shutdownGrace,
        @DefaultValue("1s") Duration delay,
        @DefaultValue("10m") Duration maxDelay,
        @DefaultValue("1MB") DataSize maxPayloadSize,
        @DefaultValue Map<String, Named> byId) {

    private static final Duration LEAST = Duration.ofMillis(10);

    /**
     * The settings of one listener.
     *
     * @param enabled Whether this node delivers events to the listener. The node stores events in any case.
     * @param attempts Number of attempts before a delivery is parked.
     * @param delay Pause after the first failed attempt.
     * @param maxDelay Longest pause between two attempts.
     * @param concurrency How many events this node delivers to the listener at the same time.
     */
    record Named(
            @Nullable Boolean enabled,
            @Nullable Integer attempts,
            @Nullable Duration delay,
            @Nullable Duration maxDelay,
            @Nullable Integer concurrency) {

        ListenerSettings.Of settings() {
            return new ListenerSettings.Of(enabled, attempts, delay, maxDelay, concurrency);
        }
    }

    ListenerEngine.Settings engine() {
        return new ListenerEngine.Settings(
                Limits.atLeast("saga.listeners.poll-interval", pollInterval, LEAST),
                checkedLease(),
                Limits.atLeast("saga.listeners.max-duration", maxDuration, LEAST),
                Limits.atLeast("saga.listeners.shutdown-grace", shutdownGrace, Duration.ZERO));
    }

    ListenerSettings settings(boolean hasTransactions, UnaryOperator<String> origin) {
        return new ListenerSettings(
                byId.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, each -> each.getValue().settings())),
                Limits.atLeast("saga.listeners.concurrency", concurrency, 1),
                Limits.atLeast("saga.listeners.delay", delay, Duration.ZERO),
                Limits.atLeast("saga.listeners.max-delay", maxDelay, delay),
                hasTransactions,
                origin);
    }

    Duration checkedLease() {
        return Limits.atLeast("saga.listeners.lease-ttl", leaseTtl, Duration.ofSeconds(1));
    }

    int checkedMaxPayload() {
        return Limits.bytes("saga.listeners.max-payload-size", maxPayloadSize);
    }
}
