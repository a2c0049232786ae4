package io.sagaspring.run;

import io.sagaspring.due.Backlog;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Kept;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where runs are kept, and the only place at which they change. Each call is one durable change, or none at all:
 *
 * <ul>
 *   <li>Who drives a run has its token, and nobody else's token changes it. A token is greater than those before it.
 *   <li>A call by token that comes too late throws {@link FencedException} and changes nothing.
 *   <li>A call whose answer was lost can be said again, and does no harm then.
 *   <li>What a call has written is durable when it returns. How many calls share a commit is not said.
 * </ul>
 *
 * <p>{@code RunStoreContract} in {@code saga-spring-boot-test} is what each store has to pass.
 */
public interface RunStore extends Kept {

    /** What a store promises about who drives a run. */
    enum Guarantee {
        /** A token that was overtaken changes nothing, ever. */
        EXACT,
        /** Nearly always. */
        BEST_EFFORT,
        /** Nothing. */
        NONE
    }

    /**
     * What this store promises.
     *
     * @return less than {@link Guarantee#EXACT} is reported when the application starts
     */
    Guarantee guarantee();

    /**
     * What is to be started.
     *
     * @param id a new id
     * @param run the name of the code
     * @param key of which there is one run
     * @param input what it is given
     * @param carried what surrounds it: the caller's log context, trace and name; null for nothing
     * @param deadline how long it may take
     * @param here whether this node drives it from the start
     */
    record NewRun(
            RunId id,
            String run,
            @Nullable String key,
            Stored input,
            @Nullable Stored carried,
            @Nullable Duration deadline,
            boolean here) {}

    /**
     * What was started.
     *
     * @param id the new run, or the one that was started with this key before
     * @param token if this node drives it since it was started, also where the start is said again
     * @param at the store's clock
     */
    record Started(RunId id, @Nullable FencingToken token, Instant at) {}

    /**
     * A run that was taken up.
     *
     * @param driven with its token
     * @param run the name of the code
     * @param input what it is given
     * @param carried what surrounds it, or null
     * @param journal from the first entry
     * @param standing what it was told
     * @param now the store's clock
     * @param attempt how often it was taken up without an end or a wait, with this time
     * @param retries how often somebody had it go on after it failed, or could not be undone
     * @param interrupted whether who drove it before died, or had to leave it in the middle of a step: what comes next may
     *     have begun
     * @param parked whether that was too often: it is not to be driven
     */
    record Taken(
            Driven driven,
            String run,
            Stored input,
            @Nullable Stored carried,
            List<Entry> journal,
            Standing standing,
            Instant now,
            int attempt,
            int retries,
            boolean interrupted,
            boolean parked) {}

    /**
     * What a run was told.
     *
     * @param number greater than that of every earlier one of the run
     * @param name what it is about
     * @param value what was said
     */
    record Signal(long number, String name, Stored value) {}

    /**
     * How a run ends, or stops until somebody acts.
     *
     * @param state the state it is left in
     * @param result what it returned
     * @param error why it did not
     * @param again after which pause it is taken up again, or null
     */
    record Ending(
            RunState state,
            @Nullable Stored result,
            @Nullable String error,
            @Nullable Duration again) {

        /**
         * Tells whether the code of a step may have begun that the journal does not know of. The next node to pick the run up
         * is told so: {@link Taken#interrupted()}.
         *
         * @return null if the store leaves that as it was
         */
        public @Nullable Boolean leavesAmid() {
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
        public boolean isWaitingForSomebody() {
            return state == RunState.BLOCKED || state == RunState.IN_DOUBT || state == RunState.COMPENSATION_FAILED;
        }
    }

    /**
     * What somebody says to one wait of a run.
     *
     * @param signal the name of what is awaited
     * @param scope within which the key is the same for each repetition
     * @param key the same for each repetition, or null
     * @param value what is said
     * @param last whether the wait is over with it: there is one such reply
     */
    record Reply(String signal, String scope, @Nullable String key, Stored value, boolean last) {}

    /**
     * What is noted beside a run, which is not told of it.
     *
     * @param id the run
     * @param name what it is about
     * @param key by which it is found
     * @param at when it was noted last
     */
    record Note(RunId id, String name, String key, Instant at) {}

    /** What became of a signal. */
    enum Answer {
        /** It is durable, and the run will be given it when it asks. */
        ACCEPTED,
        /** It is a repetition: one of this name and key was accepted before. Nothing has changed, and nobody was woken. */
        REPEATED,
        /** The run is over. */
        TOO_LATE,
        /** There is no such run. */
        UNKNOWN
    }

    /**
     * Which runs to list.
     *
     * @param run the name of the code, or null for all
     * @param key the key it was started with, or null for all; only together with the name of the code
     * @param states where they stand, all if empty
     * @param olderThan only runs that have been in their state for longer than this, or null
     * @param before only runs that were started before this one, or null
     * @param limit how many at most
     */
    record Query(
            @Nullable String run,
            @Nullable String key,
            Set<RunState> states,
            @Nullable Duration olderThan,
            @Nullable RunId before,
            int limit) {

        /**
         * Refuses a key without a name.
         *
         * @param run the name of the code, or null for all
         * @param key the key it was started with, or null for all; only together with the name of the code
         * @param states where they stand, all if empty
         * @param olderThan only runs that have been in their state for longer than this, or null
         * @param before only runs that were started before this one, or null
         * @param limit how many at most
         */
        public Query {
            if (key != null && run == null) {
                throw new IllegalArgumentException(
                        "The key '%s' was given without the name of a run. Keys are unique for each name: give both."
                                .formatted(key));
            }
        }

        /**
         * Runs by name and state.
         *
         * @param run the name of the code, or null for all
         * @param states where they stand, all if empty
         * @param before only runs that were started before this one, or null
         * @param limit how many at most
         */
        public Query(@Nullable String run, Set<RunState> states, @Nullable RunId before, int limit) {
            this(run, null, states, null, before, limit);
        }
    }

    /**
     * Starts a run, in the transaction of the caller if there is one.
     *
     * @param run what to start
     * @return the run, or the one that has its key
     */
    Started start(NewRun run);

    /**
     * How long it is until a run is due, or the lease of one ends.
     *
     * @param runs the names of the code that this node has
     * @param within how far to look ahead
     * @return not positive if that is now, empty if none is due within that time; others may take it up first
     */
    Optional<Duration> untilDue(Set<String> runs, Duration within);

    /**
     * Takes up what is due. The slots are divided: between the names that have due runs, and between those runs of a name that
     * no node has had yet and the others. What one of these needs less is another's. Where there are fewer slots than of these,
     * they take turns, so that a backlog of one delays no other.
     *
     * @param runs the names of the code that this node has
     * @param slots how many at most
     * @param attempts how often a run may be taken up without an end or a wait
     * @return longest due first; of those that the slots are divided between, each gives what is due for longest
     */
    List<Taken> take(Set<String> runs, int slots, int attempts);

    /**
     * Takes up one run, if it is not over, waits for nobody, and nobody drives it.
     *
     * @param id which
     * @param runs the names of the code that this node has
     * @param attempts how often a run may be taken up without an end or a wait
     * @return empty if it is not free
     */
    Optional<Taken> take(RunId id, Set<String> runs, int attempts);

    /**
     * Adds to the journal: in the transaction of the caller if there is one, whose last statement this has to be.
     *
     * @param driven the run
     * @param entries what to add, none to ask only
     * @return what the run was told
     * @throws FencedException if somebody else drives it
     */
    Standing checkpoint(Driven driven, List<Entry> entries);

    /**
     * Adds to the journal, and says that the run undoes what it did.
     *
     * @param driven the run
     * @param entries what to add, none to say that only
     * @return what the run was told
     * @throws FencedException if somebody else drives it
     */
    Standing compensate(Driven driven, List<Entry> entries);

    /**
     * Adds to the journal, if the run was told nothing since.
     *
     * @param driven the run
     * @param entries what to add
     * @param known what it had been told: if it was told something since, nothing is changed
     * @return whether it was added
     * @throws FencedException if somebody else drives it
     */
    boolean conclude(Driven driven, List<Entry> entries, Standing known);

    /**
     * Gives a run up until a time, until its deadline, or until it is told something.
     *
     * @param driven the run
     * @param entries what to add to the journal
     * @param pause after which it is due, or null
     * @param known what it had been told: if it was told something since, nothing is changed, and a deadline that it knows
     *     to have passed does not end the pause
     * @return whether it was given up
     * @throws FencedException if somebody else drives it
     */
    boolean suspend(Driven driven, List<Entry> entries, @Nullable Duration pause, Standing known);

    /**
     * Ends a run, or leaves it to somebody.
     *
     * @param driven the run
     * @param entries what to add to the journal
     * @param ending how it ends
     * @throws FencedException if somebody else drives it
     */
    void end(Driven driven, List<Entry> entries, Ending ending);

    /**
     * Ends a run, if it was told nothing since, and its deadline has not passed meanwhile.
     *
     * @param driven the run
     * @param entries what to add to the journal
     * @param ending how it ends
     * @param known what it had been told: if it was told something since, nothing is changed
     * @return whether it ended
     * @throws FencedException if somebody else drives it
     */
    boolean endUnlessTold(Driven driven, List<Entry> entries, Ending ending, Standing known);

    /**
     * Gives a run back as if nobody had taken it up.
     *
     * @param driven the run
     * @param pause after which it is due again
     * @return whether this node still drove it
     */
    boolean giveBack(Driven driven, Duration pause);

    /**
     * What a run was told, first things first.
     *
     * @param id which run
     * @param name what it is about
     * @return all of it, taken up or not
     */
    List<Signal> signals(RunId id, String name);

    /**
     * Tells a run something.
     *
     * @param id which run
     * @param name what it is about
     * @param key the same for each repetition
     * @param value what is said
     * @return what became of it
     */
    Answer signal(RunId id, String name, String key, Stored value);

    /**
     * Tells a run something about one wait, if that is not over: a reply that is accepted is given to the run, whose wait does
     * not end in any other way before.
     *
     * @param id which run
     * @param reply what is said
     * @return what became of it; too late also if the run undoes what it did
     */
    Answer reply(RunId id, Reply reply);

    /**
     * Notes something beside a run, or that it is so again.
     *
     * @param id which run
     * @param name what it is about
     * @param key by which it is found
     * @return false if there is no such run, or it is over
     */
    boolean note(RunId id, String name, String key);

    /**
     * What is noted beside a run.
     *
     * @param id which run
     * @return all of it
     */
    List<Note> notes(RunId id);

    /**
     * What is noted of a key, beside any run.
     *
     * @param name what it is about, or how that begins
     * @param key by which it is found
     * @return the latest first
     */
    List<Note> notes(String name, String key);

    /**
     * Asks a run to stop. The first reason stays.
     *
     * @param id which run
     * @param reason why
     * @return what became of it
     */
    Answer cancel(RunId id, String reason);

    /**
     * Has a run go on that failed, is parked or blocked, or could not be undone.
     *
     * @param id which run
     * @return whether it was; a run that failed and was undone does not go on
     */
    boolean retry(RunId id);

    /**
     * Says what became of a step of which nobody knew, or whose result blocks the run that has come no further.
     *
     * @param id which run
     * @param entry {@link Entry.Mark#DONE} or {@link Entry.Mark#ABSENT}; its position is not looked at
     * @return whether the run was in doubt about that step, or is blocked and its journal ends with the result of that step
     */
    boolean resolve(RunId id, Entry entry);

    /**
     * Ends a run for good, without its code: nothing is compensated, and it is never picked up again. The reason stands before
     * the error that the run had, and is why it was cancelled unless it was cancelled before.
     *
     * @param id the run
     * @param reason why it is ended
     * @param orphaned whether the run's code is gone. Then every run is ended that has not ended and that no node executes;
     *     otherwise only one that is blocked, in doubt, parked or could not be compensated
     * @return whether it was ended
     */
    boolean giveUp(RunId id, String reason, boolean orphaned);

    /**
     * A run without its journal.
     *
     * @param id which
     * @return empty if there is none, or no longer
     */
    Optional<RunRow> look(RunId id);

    /**
     * A run with its journal.
     *
     * @param id which
     * @return empty if there is none, or no longer
     */
    Optional<RunRow> find(RunId id);

    /**
     * Runs without their journals.
     *
     * @param query which
     * @return latest first, by their ids
     */
    List<RunRow> list(Query query);

    /**
     * How many runs wait for a person.
     *
     * @return by state
     */
    Map<RunState, Long> troubled();

    /**
     * Counts the runs that are due and that no node has picked up, by the names of their code.
     *
     * @param known the names of the code that this node has
     * @return each name with due runs, counted to 1,000
     */
    List<Backlog> backlog(Set<String> known);

    /**
     * Removes runs that were over long ago.
     *
     * @param limit how many at most
     * @return how many
     */
    int purge(int limit);

    /**
     * Runs as people see them.
     *
     * @param id which
     * @param run the name of the code
     * @param key its key, or null
     * @param state where it stands
     * @param node who drives it
     * @param attempt how often it was taken up without an end or a wait
     * @param result what it returned
     * @param error why it did not
     * @param cancelReason why it is to be cancelled
     * @param startedAt when
     * @param dueAt when it is due, or its lease ends
     * @param endedAt when it was over
     * @param since since when it has been in its state; while a node drives it, since when that node does
     * @param journal from the first entry, empty in lists
     */
    record RunRow(
            RunId id,
            String run,
            @Nullable String key,
            RunState state,
            @Nullable String node,
            int attempt,
            @Nullable Stored result,
            @Nullable String error,
            @Nullable String cancelReason,
            Instant startedAt,
            @Nullable Instant dueAt,
            @Nullable Instant endedAt,
            Instant since,
            List<Entry> journal) {

        /**
         * Adds the journal to a row that was read without it.
         *
         * @param journal from the first entry
         * @return the same run with its journal
         */
        public RunRow with(List<Entry> journal) {
            return new RunRow(
                    id,
                    run,
                    key,
                    state,
                    node,
                    attempt,
                    result,
                    error,
                    cancelReason,
                    startedAt,
                    dueAt,
                    endedAt,
                    since,
                    journal);
        }
    }
}
