package io.sagaspring.schedule;

import io.sagaspring.schedule.ScheduleRow.Locked;
import io.sagaspring.schedule.ScheduleRow.WaitingFiring;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stores schedules. A change locks the schedule, reads it, and writes it back only if its version is the one that was read. The runs that
 * the change starts belong to the same transaction, if the store has transactions. {@code ScheduleStoreContract} in
 * {@code saga-spring-boot-test} contains the tests that every store must pass.
 *
 * @since 0.1.0
 */
public interface ScheduleStore {

    /**
     * The schedules that a node may fire.
     *
     * @param names the names of the schedules that are declared on this node
     * @param runs the names of the runs and sagas whose code this node has
     * @param queues the names of the queues that are declared on this node
     */
    record Known(Set<String> names, Set<String> runs, Set<String> queues) {

        /**
         * Returns true if the node may fire a schedule. During a deployment, the stored schedule can name a run or a queue that a node does
         * not have.
         *
         * @param row the schedule as stored
         * @return true if the node declares the schedule, and has its run and its queue
         */
        public boolean includes(ScheduleRow row) {
            String queue = row.terms().queue();
            return names.contains(row.name())
                    && runs.contains(row.terms().run())
                    && (queue == null || queues.contains(queue));
        }
    }

    /**
     * The result of a search for due schedules.
     *
     * @param now the current time by the store's clock
     * @param untilDue the time until the next instant, zero or negative if a schedule is due; null if no schedule becomes due within the
     *     time that {@link #look} looks ahead
     * @param waits true if a schedule waits for the end of a run
     */
    record Look(Instant now, @Nullable Duration untilDue, boolean waits) {

        /**
         * Returns true if a schedule is due.
         *
         * @return true if an instant has come
         */
        public boolean isDue() {
            return untilDue != null && (untilDue.isZero() || untilDue.isNegative());
        }

        /** Returns the earliest instant that no node has decided about, or the current time if none comes soon. */
        Instant earliest() {
            return untilDue == null ? now : now.plus(untilDue);
        }
    }

    /**
     * A change of a schedule.
     *
     * @param state the new state
     * @param by the person who makes the change, or null if the schedule only fires
     * @param added the firings that begin to wait
     * @param removed the firing that no longer waits, or null
     * @param value the result of the change
     * @param <T> the type of the result
     */
    record Changed<T extends @Nullable Object>(
            ScheduleState state,
            @Nullable String by,
            List<WaitingFiring> added,
            @Nullable WaitingFiring removed,
            T value) {}

    /**
     * Stores a schedule, unless the same terms are already stored.
     *
     * @param name the name of the schedule
     * @param terms the part of the schedule that the code declares
     * @param by the node that declares the schedule
     * @param first the function that computes the state of a new schedule, or of one whose terms have changed; its arguments are the stored
     *     schedule or null, and the current time by the store's clock
     * @return true if something was stored
     */
    boolean declare(String name, ScheduleTerms terms, String by, Declaring first);

    /** Computes the state of a schedule that is declared. */
    @FunctionalInterface
    interface Declaring {

        /**
         * Computes the state.
         *
         * @param before the stored schedule, or null if there is none
         * @param now the current time by the store's clock
         * @return the new state
         */
        ScheduleState state(@Nullable ScheduleRow before, Instant now);
    }

    /**
     * Looks for due schedules.
     *
     * @param known the schedules that this node may fire
     * @param within the time to look ahead
     * @return the result of the search
     */
    Look look(Known known, Duration within);

    /**
     * Changes schedules that are due or wait for the end of a run, all of them or none. Schedules that another node has locked are left
     * out.
     *
     * @param known the schedules that this node may fire
     * @param limit the most schedules to change
     * @param change the function that decides the changes of the locked schedules, by name; a schedule without a change stays as it is
     * @param <T> the type of a result
     * @return the results of the changes, in the order of the function's map
     */
    <T> List<T> changeDue(Known known, int limit, Function<List<Locked>, Map<String, Changed<T>>> change);

    /**
     * Changes one schedule. Waits if another node has locked it.
     *
     * @param name the name of the schedule
     * @param change the function that changes the schedule
     * @param <T> the type of the result
     * @return the result of the change, or empty if there is no such schedule
     */
    <T> Optional<T> change(String name, Function<Locked, Changed<T>> change);

    /**
     * Reads all schedules.
     *
     * @return the schedules, ordered by name
     */
    List<ScheduleRow> list();

    /**
     * Removes a schedule and its waiting firings.
     *
     * @param name the name of the schedule
     * @return true if there was such a schedule
     */
    boolean remove(String name);

    /**
     * Returns the current time by the store's clock.
     *
     * @return the time
     */
    Instant now();
}
