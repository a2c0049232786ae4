package io.sagaspring.schedule;

import io.sagaspring.run.RunId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as shown to people.
 *
 * @param name the name of the schedule
 * @param run the name of the run or saga that the schedule starts
 * @param times a description of the schedule's times
 * @param missed the treatment of missed instants
 * @param overlap the treatment of an instant that comes before the run of the previous firing has ended
 * @param queue the queue in which the runs of the firings begin, or null for none
 * @param known true if the schedule is declared on this node
 * @param next the next instant, or null if the schedule is paused or this instant depends on the end of a run
 * @param last the latest instant that fired, was skipped or began to wait, or null if there is none
 * @param lastRun the run of the latest firing, or null if there is none
 * @param queued the instant that waits until the latest run has ended, or null if there is none
 * @param skipped the number of instants that were skipped
 * @param skippedWhy the reason why the latest of them was skipped, or null if there is none
 * @param skippedAt the time at which the latest of them was skipped, or null if there is none
 * @param paused true if the schedule is paused, so that it fires only when a person triggers or backfills it
 * @param pausedAt the time at which the pause began, or null if the schedule is not paused
 * @param pausedBy the person who paused the schedule, or null if it is not paused
 * @param pausedWhy the reason for the pause, or null if the schedule is not paused
 * @param changedAt the time of the latest change by a person or a deployment
 * @param changedBy the person or the node that made that change
 * @since 0.1.0
 */
public record ScheduleView(
        String name,
        String run,
        String times,
        Missed missed,
        Overlap overlap,
        @Nullable String queue,
        boolean known,
        @Nullable Instant next,
        @Nullable Instant last,
        @Nullable RunId lastRun,
        @Nullable Instant queued,
        long skipped,
        @Nullable String skippedWhy,
        @Nullable Instant skippedAt,
        boolean paused,
        @Nullable Instant pausedAt,
        @Nullable String pausedBy,
        @Nullable String pausedWhy,
        Instant changedAt,
        String changedBy) {

    /**
     * The delay after which a schedule that this node does not declare is a problem. The delay is long, because a
     * deployment takes a while.
     */
    private static final Duration WITHOUT_CODE = Duration.ofDays(1);

    /**
     * Tells whether the schedule should have fired long ago. A schedule that this node does not declare may be late by
     * one day.
     *
     * @param now the time of the database clock
     * @param longest the time by which a schedule of this node may be late
     * @return true if the schedule is later than allowed
     */
    public boolean isOverdue(Instant now, Duration longest) {
        return next != null && Duration.between(next, now).compareTo(known ? longest : WITHOUT_CODE) > 0;
    }

    static ScheduleView of(ScheduleRow row, boolean known) {
        ScheduleState state = row.state();
        ScheduleState.Pause pause = state.pause();
        return new ScheduleView(
                row.name(),
                row.terms().run(),
                row.terms().spec().toString(),
                row.terms().missed(),
                row.terms().overlap(),
                row.terms().queue(),
                known,
                pause == null ? state.nextAt() : null,
                state.lastAt(),
                state.lastRun(),
                state.queuedAt(),
                state.skips().count(),
                state.skips().why(),
                state.skips().at(),
                pause != null,
                pause == null ? null : pause.at(),
                pause == null ? null : pause.by(),
                pause == null ? null : pause.why(),
                row.change().at(),
                row.change().by());
    }
}
