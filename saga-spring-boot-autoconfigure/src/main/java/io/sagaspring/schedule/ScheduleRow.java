package io.sagaspring.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as stored.
 *
 * @param name the name of the schedule
 * @param terms what the code declares about it
 * @param state its progress
 * @param version the number of its changes
 * @param change the latest change by a person or a deployment
 * @since 0.1.0
 */
public record ScheduleRow(String name, ScheduleTerms terms, ScheduleState state, long version, Change change) {

    /**
     * A change of a schedule that is not a firing.
     *
     * @param at the time of the change
     * @param by the person or the node that made it
     */
    public record Change(Instant at, String by) {}

    /**
     * A firing that waits until the last run has ended, because a person asked for it.
     *
     * @param at the instant of the firing
     * @param triggered true if a person triggered the schedule, false if the firing is part of a backfill
     * @param by the person who asked for it
     */
    public record WaitingFiring(Instant at, boolean triggered, String by) {}

    /**
     * A schedule that this node has locked.
     *
     * @param row the schedule
     * @param waiting the earliest firing that a person asked for, or null if none waits
     * @param now the current time by the store's clock
     */
    public record Locked(ScheduleRow row, @Nullable WaitingFiring waiting, Instant now) {}

    ScheduleRow with(ScheduleState next) {
        return new ScheduleRow(name, terms, next, version, change);
    }

    ScheduleRow changed(ScheduleState next, Instant at, String by) {
        return new ScheduleRow(name, terms, next, version, new Change(at, by));
    }

    ScheduleRow declared(ScheduleTerms next, ScheduleState state, Instant at, String by) {
        return new ScheduleRow(name, next, state, version, new Change(at, by));
    }
}
