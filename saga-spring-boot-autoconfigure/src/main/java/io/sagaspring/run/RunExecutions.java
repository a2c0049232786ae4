package io.sagaspring.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.RenewableLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a store that starts runs, assigns them to nodes, and accepts the writes of the node that executes a run. The node adds to the
 * journal, suspends the run, ends it, and renews its lease. If another node has picked up the run, the store rejects the writes of the
 * previous node.
 *
 * @since 0.1.0
 */
public interface RunExecutions extends RenewableLeases {

    /**
     * A run to start.
     *
     * @param id a new id
     * @param run the name of the code
     * @param key the key, which identifies at most one run with this code in its tenant, or null; see {@link StartKey.Kind}
     * @param tenant the tenant of the run, or null
     * @param input the input of the run
     * @param carried the caller's context, such as log context, trace and user; null for none
     * @param deadline the time from the beginning of the run to its deadline, or null
     * @param startTime the time at which the run begins or joins its queue, or null if it does so at once
     * @param here true if this node executes the run from its start; false if the run begins later, or belongs to a queue
     * @param place the run's place in a queue, or null for none
     * @param labels the labels of the run, which the store writes only if this call starts the run or replaces its
     *     input
     */
    record NewRun(
            RunId id,
            String run,
            @Nullable StartKey key,
            @Nullable String tenant,
            StoredValue input,
            @Nullable StoredValue carried,
            @Nullable Duration deadline,
            @Nullable StartTime startTime,
            boolean here,
            @Nullable QueuePlace place,
            Map<String, String> labels) {

        /**
         * Creates a run that begins at once, and belongs to no queue.
         *
         * @param id a new id
         * @param run the name of the code
         * @param key the key, which identifies at most one run with this code in its tenant until that run is removed, or null
         * @param tenant the tenant of the run, or null
         * @param input the input of the run
         * @param carried the caller's context, such as log context, trace and user; null for none
         * @param deadline the time from the start of the run to its deadline, or null
         * @param here true if this node executes the run from its start
         */
        public NewRun(
                RunId id,
                String run,
                @Nullable String key,
                @Nullable String tenant,
                StoredValue input,
                @Nullable StoredValue carried,
                @Nullable Duration deadline,
                boolean here) {
            this(id, run, StartKey.untilRemoved(key), tenant, input, carried, deadline, null, here, null, Map.of());
        }

        /**
         * Returns the text of the key.
         *
         * @return the text, or null if the run has no key
         */
        public @Nullable String keyText() {
            return key == null ? null : key.text();
        }

        NewRun here(boolean isHere) {
            return new NewRun(id, run, key, tenant, input, carried, deadline, startTime, isHere, place, labels);
        }
    }

    /**
     * A run that was started.
     *
     * @param id the new run, or the existing run with this key
     * @param token the fencing token if this node executes the run from its start; otherwise null. If the call is
     *     repeated because its reply was lost, the token is the same
     * @param at the current time by the store's clock
     */
    record Started(RunId id, @Nullable FencingToken token, Instant at) {}

    /**
     * The way in which a node ends a run, or stops executing it.
     *
     * @param state the state in which the run is left
     * @param result the result of the run, or null
     * @param error the reason why there is no result, or null
     * @param again the pause before the run is due again, or null if it does not become due on its own
     */
    record Ending(
            RunState state,
            @Nullable StoredValue result,
            @Nullable String error,
            @Nullable Duration again) {

        /**
         * Returns true if the code of a step without a journal entry may have begun. The store passes the value to the next node
         * that picks up the run: {@link PickedUpRun#interrupted()}.
         *
         * @return true or false, or null if the store must keep its earlier value
         */
        public @Nullable Boolean leavesMidStep() {
            return switch (state) {
                case PENDING -> true;
                case BLOCKED -> null;
                default -> false;
            };
        }

        /**
         * Returns true if the store must reset the number of times that the run was picked up without progress. Without
         * this reset, a run that waits for a person would be parked after too many pickups.
         *
         * @return true if the run waits for a person
         */
        public boolean resetsAttempts() {
            return state == RunState.BLOCKED || state == RunState.IN_DOUBT || state == RunState.COMPENSATION_FAILED;
        }
    }

    /**
     * Starts a run. If the caller is in a transaction, the start is part of that transaction.
     *
     * <p>If the key is {@linkplain StartKey.Kind#UNTIL_BEGUN replaceable}, and a run with this key has not begun and was not cancelled, this
     * call changes that run: it gets the input, the context, the deadline, the labels and the priority. It keeps its id, its time of start
     * and its place in the queue. It also keeps the time at which it begins, unless the start time has an {@linkplain StartTime#atMost
     * upper limit}. Then the run begins after the new delay, but not later than this limit after its first start. This call is not
     * repeated if its reply was lost.
     *
     * @param run the run to start
     * @return the new run, or the existing run with this key
     */
    Started start(NewRun run);

    /**
     * Starts runs that begin on any node. If the caller is in a transaction, all of them start in that transaction.
     *
     * @param runs the runs to start
     * @return for each of them, in order, the new run or the existing run with its key
     */
    default List<Started> startAll(List<NewRun> runs) {
        return runs.stream().map(this::start).toList();
    }

    /**
     * Returns the time until the first run is due, or until the first lease of a run ends, whichever comes first.
     *
     * @param runs the names of the code on this node
     * @param within the time to look ahead
     * @return the time; empty if no run becomes due within the given time; zero or negative if a run is due now. Another node may pick
     *     it up first
     */
    Optional<Duration> untilDue(Set<String> runs, Duration within);

    /**
     * Picks up due runs, and divides the slots between the lanes that have due runs. Each name has two lanes: one for
     * runs that no node has executed yet, and one for runs that continue. If a lane does not need its share, the other
     * lanes use it. If there are more lanes than slots, the lanes take turns, so that a backlog of one lane does not
     * delay another. {@link Lanes} implements this division.
     *
     * @param runs the names of the code on this node
     * @param slots the maximum number of runs to pick up
     * @param attempts the number of times that a run may be picked up without progress; a new journal entry or a wait resets the count
     * @return the runs; from each lane those that have been due longest, in that order; a run that was committed late
     *     may be left out for a moment if all slots are filled
     */
    List<PickedUpRun> take(Set<String> runs, int slots, int attempts);

    /**
     * Picks up one run, even before it is due. Does nothing if a node executes the run, or if the run does not become
     * due on its own, for example because it has ended.
     *
     * @param id the run's id
     * @param runs the names of the code on this node
     * @param attempts the number of times that a run may be picked up without progress; a new journal entry or a wait resets the count
     * @return the run, or empty if it could not be picked up
     */
    Optional<PickedUpRun> take(RunId id, Set<String> runs, int attempts);

    /**
     * Adds entries to the journal, and sets the labels that entries name ({@link Labels#setBy}). Every method that adds entries does so in
     * one change. If the caller is in a transaction, the entries are added in that transaction, and this call must be
     * its last statement.
     *
     * @param runLease the run
     * @param entries the entries to add, or none to only read the control state
     * @return the control state of the run
     * @throws FencedException if this node no longer holds the run, or the journal has lost entries
     */
    ControlState checkpoint(RunLease runLease, List<JournalEntry> entries);

    /**
     * Adds entries to the journal, and records that the run is compensating.
     *
     * @param runLease the run
     * @param entries the entries to add, or none to only record that the run is compensating
     * @return the control state of the run
     * @throws FencedException if this node no longer holds the run, or the journal has lost entries
     */
    ControlState compensate(RunLease runLease, List<JournalEntry> entries);

    /**
     * Adds entries to the journal if the run has not received a signal, reply or cancellation in the meantime.
     *
     * @param runLease the run
     * @param entries the entries to add
     * @param known the control state that the node knows; if signals, replies or cancellations have been sent to the
     *     run since, nothing is changed
     * @return true if the entries were added
     * @throws FencedException if this node no longer holds the run, or the journal has lost entries
     */
    boolean conclude(RunLease runLease, List<JournalEntry> entries, ControlState known);

    /**
     * Suspends a run until a time, until its deadline, or until it receives a signal, a reply or a cancellation.
     *
     * @param runLease the run
     * @param entries the entries to add to the journal
     * @param pause the time after which the run is due, or null
     * @param known the control state that the node knows; if signals, replies or cancellations have been sent to the
     *     run since, nothing is changed. If this control state says that the deadline has passed, the deadline does not
     *     end the pause
     * @return true if the run was suspended
     * @throws FencedException if this node no longer holds the run, or the journal has lost entries
     */
    boolean suspend(RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, ControlState known);

    /**
     * Ends a run, or stops executing it in the way that the ending describes.
     *
     * @param runLease the run
     * @param entries the entries to add to the journal
     * @param ending the state in which the run is left, with its result or error
     * @throws FencedException if this node no longer holds the run, or the journal has lost entries
     */
    void end(RunLease runLease, List<JournalEntry> entries, Ending ending);

    /**
     * Ends a run if its control state has not changed and its deadline has not passed in the meantime.
     *
     * @param runLease the run
     * @param entries the entries to add to the journal
     * @param ending the state in which the run is left, with its result or error
     * @param known the control state that the node knows; if the run's control state is different, nothing is changed
     * @return true if the run was ended
     * @throws FencedException if this node no longer holds the run, or the journal has lost entries
     */
    boolean endUnlessChanged(RunLease runLease, List<JournalEntry> entries, Ending ending, ControlState known);

    /**
     * Releases a run, so that a node can pick it up again after the pause. The pickup that ends with this release does
     * not count as a pickup without progress. The next node assumes that a step may have begun
     * ({@link PickedUpRun#interrupted()}).
     *
     * @param runLease the run
     * @param pause the pause before the run is due again
     * @return true if the run was released; false if this node no longer held it
     */
    boolean release(RunLease runLease, Duration pause);
}
