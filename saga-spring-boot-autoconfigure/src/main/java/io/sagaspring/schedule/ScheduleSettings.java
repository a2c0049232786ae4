package io.sagaspring.schedule;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of schedules that supplement their annotations.
 *
 * @since 0.1.0
 */
public interface ScheduleSettings {

    /** The prefix of the properties of one schedule. */
    String PROPERTIES = "saga.schedules.by-name.";

    /**
     * The properties of one schedule. If a property is null, the annotation's value applies.
     *
     * @param cron the cron expression, or null
     * @param zone the time zone, or null
     * @param fixedRate the interval, or null
     * @param fixedDelay the pause, or null
     * @param missed the treatment of missed instants, or null
     * @param missedWindow the greatest age of a missed instant that fires, or null
     * @param overlap the treatment of an instant that comes before the run of the previous firing has ended, or null
     * @param queue the queue in which the runs begin; empty for none even if the annotation names one; or null
     * @param enabled false to turn the schedule off on this node, or null
     */
    record Of(
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String fixedRate,
            @Nullable String fixedDelay,
            @Nullable Missed missed,
            @Nullable Duration missedWindow,
            @Nullable Overlap overlap,
            @Nullable String queue,
            @Nullable Boolean enabled) {

        /** The properties of a schedule that has none. */
        public static final Of NONE = new Of(null, null, null, null, null, null, null, null, null);
    }

    /**
     * Returns the properties of schedules.
     *
     * @return the properties by the name of the schedule
     */
    Map<String, Of> byName();

    /**
     * Resolves the placeholders in a text of an annotation.
     *
     * @param text the text
     * @return the text without placeholders
     * @throws IllegalArgumentException if a placeholder has no value
     */
    String resolve(String text);

    /**
     * Describes where a property was set.
     *
     * @param property the name of the property
     * @return the place, such as a file and a line; empty if it is unknown
     */
    String origin(String property);

    /**
     * Returns the queues of the application.
     *
     * @return the names of the queues
     */
    Set<String> queues();

    /**
     * Returns the classes of the beans that have a {@link RunSchedule} annotation.
     *
     * @return the classes, without any proxy
     */
    List<Class<?>> annotated();
}
