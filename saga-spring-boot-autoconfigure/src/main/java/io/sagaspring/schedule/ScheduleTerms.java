package io.sagaspring.schedule;

import java.time.Duration;

/**
 * The part of a schedule that its code declares.
 *
 * @param run the name of the run or saga that the schedule starts
 * @param spec the times of the schedule
 * @param missed the treatment of instants that passed while no node was up
 * @param missedWindow the greatest age of a missed instant that still fires, if all missed instants fire
 * @param overlap the treatment of an instant that comes before the run of the previous firing has ended
 * @since 0.1.0
 */
public record ScheduleTerms(String run, ScheduleSpec spec, Missed missed, Duration missedWindow, Overlap overlap) {

    @Override
    public String toString() {
        return "%s (run '%s', missed=%s, overlap=%s)".formatted(spec, run, missed, overlap);
    }
}
