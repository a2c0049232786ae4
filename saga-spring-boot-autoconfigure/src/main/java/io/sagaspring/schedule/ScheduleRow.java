package io.sagaspring.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as stored.
 *
 * @param name the name of the schedule
 * @param terms the part that the code declares
 * @param state the progress of the schedule
 * @param version the number of changes to the stored schedule
 * @param change the latest change by a person or a deployment
 * @since 0.1.0
 */
public record ScheduleRow(String name, ScheduleTerms terms, ScheduleState state, long version, Change change) {

    /**
     * A change of a schedule by a person or a deployment. A firing is not such a change.
     *
     * @param at the time of the change
     * @param by the person or the node that made the change
     */
    public record Change(Instant at, String by) {}

    /**
     * A firing that a person has requested, and that waits until the latest run has ended.
     *
     * @param at the instant of the firing
     * @param triggered true if a person triggered the schedule, false if the firing is part of a backfill
     * @param previous the preceding instant of the backfill, or null if there is none
     * @param by the person who requested the firing
     */
    public record WaitingFiring(
            Instant at, boolean triggered, @Nullable Instant previous, String by) {}

    /**
     * A schedule that this node has locked.
     *
     * @param row the schedule
     * @param waiting the earliest waiting firing that a person has requested, or null if none waits
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
