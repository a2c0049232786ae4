package io.sagaspring.schedule;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The input of a run or a saga that a schedule starts.
 *
 * <p>To process what happened since the previous firing, use the range from {@code previous} to {@code at}. The ranges of
 * the firings that a schedule starts itself join without a gap and without an overlap, even if instants in between were
 * skipped, missed or replaced.
 *
 * @param schedule the name of the schedule
 * @param at the instant for which the schedule fires, which may be earlier than the start of the run; if a person triggered the schedule,
 *     the time at which that happened
 * @param triggered true if a person triggered the schedule
 * @param previous the instant of the latest firing of this schedule that started a run before this one, or null if there
 *     is none; firings that a person triggered and firings of a backfill do not count; in a backfill, the preceding
 *     instant of the backfill
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
