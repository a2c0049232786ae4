package io.sagaspring.autoconfigure;

import io.sagaspring.run.queue.RunQueue;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for the queues of durable runs.
 *
 * @param queueConcurrency How many runs of queues this node executes at the same time, in addition to saga.runs.concurrency. 0 means none.
 * @param queues The queues by name. The values replace those of the RunQueue bean with this name, or declare a new queue.
 */
@ConfigurationProperties("saga.runs")
record QueueProperties(
        @DefaultValue("8") int queueConcurrency,
        @DefaultValue Map<String, Limit> queues) {

    /**
     * The limits of a queue.
     *
     * @param atOnce How many runs of the queue execute at the same time, over all nodes. At most 10,000.
     * @param atOnceForEach How many runs with the same key in the queue execute at the same time, over all nodes.
     * @param starts How many runs of the queue begin within a period, over all nodes, such as 100/1m.
     * @param burst How many runs of the queue may begin at the same time, if starts is set.
     * @param startsForEach How many runs with the same key in the queue begin within a period, over all nodes, such as 10/1s.
     * @param burstForEach How many runs with the same key in the queue may begin at the same time, if starts-for-each is set.
     * @param keepsPermits Whether a run keeps its permits while it sleeps or waits for a signal.
     */
    record Limit(
            @Nullable Integer atOnce,
            @Nullable Integer atOnceForEach,
            @Nullable String starts,
            @Nullable Integer burst,
            @Nullable String startsForEach,
            @Nullable Integer burstForEach,
            @Nullable Boolean keepsPermits) {

        private RunQueue.Overrides overrides() {
            return new RunQueue.Overrides(
                    atOnce, atOnceForEach, keepsPermits, starts, burst, startsForEach, burstForEach);
        }
    }

    int checkedConcurrency() {
        return Limits.atLeast("saga.runs.queue-concurrency", queueConcurrency, 0);
    }

    Map<String, RunQueue.Overrides> overrides() {
        Map<String, RunQueue.Overrides> overrides = new TreeMap<>();
        queues.forEach((name, limit) -> overrides.put(name, limit.overrides()));
        return overrides;
    }
}
