package io.sagaspring.autoconfigure;

import io.sagaspring.schedule.Missed;
import io.sagaspring.schedule.Overlap;
import io.sagaspring.schedule.ScheduleSettings;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for schedules.
 *
 * @param enabled Whether this node fires schedules.
 * @param pollInterval Time between two searches for schedules that are due.
 * @param onTimeWithin How late an instant may fire without counting as missed, if a node was up all the time.
 * @param byName Settings of single schedules, which override their annotations.
 */
@ConfigurationProperties("saga.schedules")
record ScheduleProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("1s") Duration pollInterval,
        @DefaultValue("1m") Duration onTimeWithin,
        @DefaultValue Map<String, Named> byName) {

    /**
     * The settings of one schedule.
     *
     * @param enabled Whether this node declares and fires the schedule.
     * @param cron Cron expression with six fields, or off.
     * @param zone Time zone of the cron expression.
     * @param fixedRate Interval between two instants, or off.
     * @param fixedDelay Pause between the end of a run and the start of the next one, or off.
     * @param missed What happens to missed instants, such as those that passed while no node was up.
     * @param missedWindow Greatest age at which a missed instant still fires. Requires missed to be ALL.
     * @param overlap What happens if the run of the previous firing has not ended.
     * @param queue Queue in which the runs of the firings begin. An empty value means no queue.
     */
    record Named(
            @Nullable Boolean enabled,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable Missed missed,
            @Nullable Duration missedWindow,
            @Nullable Overlap overlap,
            @Nullable String queue) {

        ScheduleSettings.Of settings() {
            return new ScheduleSettings.Of(
                    cron, zone, fixedRate, fixedDelay, missed, missedWindow, overlap, queue, enabled);
        }
    }

    Map<String, ScheduleSettings.Of> named() {
        return byName.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().settings()));
    }

    Duration checkedPollInterval() {
        return Limits.atLeast("saga.schedules.poll-interval", pollInterval, Duration.ofMillis(10));
    }

    Duration checkedOnTimeWithin() {
        return Limits.atLeast("saga.schedules.on-time-within", onTimeWithin, Duration.ofSeconds(1));
    }
}
