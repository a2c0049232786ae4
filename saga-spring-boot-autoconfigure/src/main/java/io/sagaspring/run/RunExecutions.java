package io.sagaspring.run;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.RenewableLeases;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Starts runs, hands them to nodes, and takes what the node writes that executes a run: it adds to the journal, lets the run
 * wait, ends it, and renews its lease. Nothing is written for a node whose run another node has picked up.
 *
 * @since 0.1.0
 */
public interface RunExecutions extends RenewableLeases {

    /**
     * A run to be started.
     *
     * @param id a new id
     * @param run the name of the code
     * @param key identifies at most one run, or null
     * @param input the value that it is started with
     * @param carried the caller's surroundings: log context, trace and name; null for nothing
     * @param deadline how long it may take, or null
     * @param here whether this node executes it from the start
     */
    record NewRun(
            RunId id,
            String run,
            @Nullable String key,
            StoredValue input,
            @Nullable StoredValue carried,
            @Nullable Duration deadline,
            boolean here) {}

    /**
     * A run that was started.
     *
     * @param id the new run, or the one that was started with this key before
     * @param token the token if this node executes the run since it was started, also where the start is repeated
     * @param at the store's clock
     */
    record Started(RunId id, @Nullable FencingToken token, Instant at) {}

    /**
     * How a run ends, or stops until somebody acts.
     *
     * @param state the state it is left in
     * @param result the value that it returned, or null
     * @param error why it returned none, or null
     * @param again the pause after which it is picked up again, or null
     */
    record Ending(
            RunState state,
            @Nullable StoredValue result,
            @Nullable String error,
            @Nullable Duration again) {

        /**
         * Tells whether the code of a step may have begun that the journal does not know of. The next node to pick the run up
         * is told so: {@link PickedUpRun#interrupted()}.
         *
         * @return null if the store leaves that as it was
         */
        public @Nullable Boolean leavesMidStep() {
            return switch (state) {
                case PENDING -> true;
                case BLOCKED -> null;
                default -> false;
            };
        }

        /**
         * Tells whether the store counts the attempts of the run from the beginning again: no node dies of a run that waits for
         * somebody, however often it is picked up.
         *
         * @return true if the run waits for somebody
         */
        public boolean isWaitingForAPerson() {
            return state == RunState.BLOCKED || state == RunState.IN_DOUBT || state == RunState.COMPENSATION_FAILED;
        }
    }

    /**
     * Starts a run, in the transaction of the caller if there is one.
     *
     * @param run the run to start
     * @return the run, or the one that has its key
     */
    Started start(NewRun run);

    /**
     * Looks how long it is until a run is due, or the lease of one ends.
     *
     * @param runs the names of the code that this node has
     * @param within how far to look ahead
     * @return not positive if that is now, empty if none is due within that time; another node may pick it up first
     */
    Optional<Duration> untilDue(Set<String> runs, Duration within);

    /**
     * Picks up runs that are due. The slots are divided: between the names that have due runs, and between those runs of a name
     * that no node has had yet and the others. A share that one of these does not need is another's. Where there are fewer slots
     * than of these, they take turns, so that a backlog of one delays no other. {@link Lanes} divides so.
     *
     * @param runs the names of the code that this node has
     * @param slots the number of runs to pick up at most
     * @param attempts how often a run may be picked up without an end or a wait
     * @return longest due first; each share consists of the runs that are due for longest
     */
    List<PickedUpRun> take(Set<String> runs, int slots, int attempts);

    /**
     * Picks up one run, if it has not ended, waits for nobody, and no node executes it.
     *
     * @param id the run's id
     * @param runs the names of the code that this node has
     * @param attempts how often a run may be picked up without an end or a wait
     * @return empty if it is not free
     */
    Optional<PickedUpRun> take(RunId id, Set<String> runs, int attempts);

    /**
     * Adds to the journal: in the transaction of the caller if there is one, whose last statement this has to be.
     *
     * @param runLease the run
     * @param entries the entries to add, none to ask only
     * @return what the run was told
     * @throws FencedException if another node executes it
     */
    ControlState checkpoint(RunLease runLease, List<JournalEntry> entries);

    /**
     * Adds to the journal, and records that the run compensates.
     *
     * @param runLease the run
     * @param entries the entries to add, none to record that only
     * @return what the run was told
     * @throws FencedException if another node executes it
     */
    ControlState compensate(RunLease runLease, List<JournalEntry> entries);

    /**
     * Adds to the journal, if the run was told nothing since.
     *
     * @param runLease the run
     * @param entries the entries to add
     * @param known what it had been told: if it was told something since, nothing is changed
     * @return whether the entries were added
     * @throws FencedException if another node executes it
     */
    boolean conclude(RunLease runLease, List<JournalEntry> entries, ControlState known);

    /**
     * Releases a run until a time, until its deadline, or until it is told something.
     *
     * @param runLease the run
     * @param entries the entries to add to the journal
     * @param pause the time after which it is due, or null
     * @param known what it had been told: if it was told something since, nothing is changed, and a deadline that it knows
     *     to have passed does not end the pause
     * @return whether it was released
     * @throws FencedException if another node executes it
     */
    boolean suspend(RunLease runLease, List<JournalEntry> entries, @Nullable Duration pause, ControlState known);

    /**
     * Ends a run, or leaves it to somebody.
     *
     * @param runLease the run
     * @param entries the entries to add to the journal
     * @param ending how it ends
     * @throws FencedException if another node executes it
     */
    void end(RunLease runLease, List<JournalEntry> entries, Ending ending);

    /**
     * Ends a run, if it was told nothing since, and its deadline has not passed meanwhile.
     *
     * @param runLease the run
     * @param entries the entries to add to the journal
     * @param ending how it ends
     * @param known what it had been told: if it was told something since, nothing is changed
     * @return whether it ended
     * @throws FencedException if another node executes it
     */
    boolean endUnlessTold(RunLease runLease, List<JournalEntry> entries, Ending ending, ControlState known);

    /**
     * Releases a run as if no node had picked it up.
     *
     * @param runLease the run
     * @param pause the time after which it is due again
     * @return whether this node still executed it
     */
    boolean release(RunLease runLease, Duration pause);
}
