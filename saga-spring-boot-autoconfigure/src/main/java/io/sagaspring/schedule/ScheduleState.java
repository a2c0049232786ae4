package io.sagaspring.schedule;

import io.sagaspring.run.RunId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a schedule.
 *
 * @param nextAt the next instant, or null if there is none or it depends on the end of the latest run
 * @param lastAt the latest instant that fired, was skipped or began to wait, or null if there is none
 * @param firedAt the latest instant for which the schedule itself has started a run; {@link Instant#EPOCH} if it has
 *     only let instants pass or wait until now; null if it has not decided about an instant yet, or if only nodes with
 *     an older version of the library have
 * @param lastRun the run of the latest firing, or null if there is none
 * @param queuedAt the instant that waits until the latest run has ended, or null if there is none
 * @param waits true if something waits for the end of a run, so that the schedule is checked at each poll
 * @param skips the skipped instants
 * @param pause the pause, or null if the schedule is not paused
 * @since 0.1.0
 */
public record ScheduleState(
        @Nullable Instant nextAt,
        @Nullable Instant lastAt,
        @Nullable Instant firedAt,
        @Nullable RunId lastRun,
        @Nullable Instant queuedAt,
        boolean waits,
        Skips skips,
        @Nullable Pause pause) {

    /**
     * The skipped instants of a schedule.
     *
     * @param count the number of skipped instants
     * @param why the reason why the latest of them was skipped, or null if there is none
     * @param at the time at which the latest of them was skipped, or null if there is none
     */
    public record Skips(
            long count, @Nullable String why, @Nullable Instant at) {

        /** The skips of a new schedule. */
        public static final Skips NONE = new Skips(0, null, null);

        Skips and(long more, String reason, Instant now) {
            return more == 0 ? this : new Skips(count + more, reason, now);
        }
    }

    /**
     * A pause of a schedule.
     *
     * @param at the time at which the pause began
     * @param by the person who paused the schedule
     * @param why the reason
     */
    public record Pause(Instant at, String by, String why) {}

    /**
     * Returns the state of a schedule that has not fired yet.
     *
     * @param nextAt the first instant
     * @return the state
     */
    public static ScheduleState beginningAt(@Nullable Instant nextAt) {
        return new ScheduleState(nextAt, null, null, null, null, false, Skips.NONE, null);
    }

    /**
     * Returns the latest instant for which the schedule itself has started a run, or null if there is none. Until a
     * node with this version of the library has decided about an instant, the latest instant counts.
     */
    @Nullable
    Instant latestFiring() {
        if (firedAt == null) {
            return lastAt;
        }
        return firedAt.equals(Instant.EPOCH) ? null : firedAt;
    }

    ScheduleState nextAt(@Nullable Instant next) {
        return new ScheduleState(next, lastAt, firedAt, lastRun, queuedAt, waits, skips, pause);
    }

    ScheduleState lastRun(@Nullable RunId run) {
        return new ScheduleState(nextAt, lastAt, firedAt, run, queuedAt, waits, skips, pause);
    }

    ScheduleState waiting() {
        return new ScheduleState(nextAt, lastAt, firedAt, lastRun, queuedAt, true, skips, pause);
    }

    ScheduleState paused(@Nullable Pause by) {
        return new ScheduleState(nextAt, lastAt, firedAt, lastRun, queuedAt, waits, skips, by);
    }
}
