package io.sagaspring.schedule;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The part of a schedule that its code declares.
 *
 * @param run the name of the run or saga that the schedule starts
 * @param spec the times of the schedule
 * @param missed the treatment of missed instants
 * @param missedWindow the greatest age of a missed instant that still fires, if all missed instants fire
 * @param overlap the treatment of an instant that comes before the run of the previous firing has ended
 * @param queue the queue in which the runs of the firings begin, or null for none
 * @since 0.1.0
 */
public record ScheduleTerms(
        String run,
        ScheduleSpec spec,
        Missed missed,
        Duration missedWindow,
        Overlap overlap,
        @Nullable String queue) {

    @Override
    public String toString() {
        String place = queue == null ? "" : ", queue=" + queue;
        return "%s (run '%s', missed=%s, overlap=%s%s)".formatted(spec, run, missed, overlap, place);
    }
}
