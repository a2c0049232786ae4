package io.sagaspring.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The input of a run or a saga that a schedule starts.
 *
 * @param schedule the name of the schedule
 * @param at the instant for which the schedule fires, which may be earlier than the start of the run; if a person triggered the schedule,
 *     the time at which that happened
 * @param triggered true if a person triggered the schedule
 * @param previous the latest instant that had fired, been skipped or begun to wait before this firing, or null if there
 *     is none; in a backfill with {@link Overlap#ALLOW}, the preceding instant of the backfill
 * @since 0.1.0
 */
public record Firing(
        String schedule,
        Instant at,
        boolean triggered,
        @Nullable Instant previous) {

    /**
     * Returns the key of the run.
     *
     * @return the key, which identifies the firing
     */
    public String key() {
        return "schedule:%s@%s%s".formatted(schedule, at, triggered ? "!" : "");
    }
}
