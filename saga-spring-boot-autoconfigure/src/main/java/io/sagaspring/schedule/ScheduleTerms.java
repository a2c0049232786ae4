package io.sagaspring.schedule;

import java.time.Duration;

/**
 * The part of a schedule that its code declares.
 *
 * @param run the name of the code that it starts
 * @param spec its times
 * @param missed what happens to instants that passed while no node was up
 * @param missedWindow the greatest age of a missed instant that still fires, if all missed instants fire
 * @param overlap what happens if the run of the last firing has not ended
 * @since 0.1.0
 */
public record ScheduleTerms(String run, ScheduleSpec spec, Missed missed, Duration missedWindow, Overlap overlap) {

    @Override
    public String toString() {
        return "%s (run '%s', missed=%s, overlap=%s)".formatted(spec, run, missed, overlap);
    }
}
