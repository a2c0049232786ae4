package io.sagaspring.run;

import java.time.Instant;
import java.util.List;

/**
 * The part of a store that accepts signals, replies, notes, and people's decisions, whichever node executes the run. A
 * waiting run becomes due immediately when any of these except a note is sent to it.
 *
 * @since 0.1.0
 */
public interface RunInbox {

    /**
     * A signal that was sent to a run.
     *
     * @param number a number greater than that of every earlier signal of the run
     * @param name the name of the signal
     * @param value the value of the signal
     */
    record Signal(long number, String name, StoredValue value) {}

    /**
     * A note that is stored with a run. The run itself does not receive it.
     *
     * @param id the run's id
     * @param name the name of the note
     * @param key the key by which the note is found
     * @param at the time at which the note was last written
     */
    record Note(RunId id, String name, String key, Instant at) {}

    /** The result of sending something to a run. */
    enum Answer {
        /** The value is durable, and the run will receive it. */
        ACCEPTED,
        /** A value with this name and key has already been accepted. Nothing was changed, and no run was made due. */
        REPEATED,
        /**
         * The run has ended, or a reply came after the end of its wait or while the run was compensating. Nothing was
         * changed.
         */
        TOO_LATE,
        /** There is no such run. */
        UNKNOWN
    }

    /**
     * Lists the signals of a run in the order in which they were accepted.
     *
     * @param id the run's id
     * @param name the name of the signals
     * @return all signals with this name, including those that the run has already received
     */
    List<Signal> signals(RunId id, String name);

    /**
     * Signals a run.
     *
     * @param id the run's id
     * @param name the name of the signal
     * @param key the key of the signal: a repeated call with the same name and key has no effect
     * @param value the value of the signal
     * @return the result of the call
     */
    Answer signal(RunId id, String name, String key, StoredValue value);

    /**
     * Replies to one wait of a run, if the wait has not ended. If the reply is accepted, the run receives it, and the
     * wait can no longer end in any other way.
     *
     * @param id the run's id
     * @param reply the reply
     * @return the result of the call, which is {@link Answer#TOO_LATE} if the wait or the run has ended, or the run is
     *     compensating
     */
    Answer reply(RunId id, RunReply reply);

    /**
     * Stores a note with a run, or updates the time of an existing note.
     *
     * @param id the run's id
     * @param name the name of the note
     * @param key the key by which the note is found
     * @return false if there is no such run, or the run has ended
     */
    boolean note(RunId id, String name, String key);

    /**
     * Lists the notes of a run.
     *
     * @param id the run's id
     * @return all notes of the run, latest first
     */
    List<Note> notes(RunId id);

    /**
     * Lists the notes with a key, of all runs.
     *
     * @param name the name of the notes, or a prefix of it
     * @param key the key by which the notes are found
     * @return the notes, latest first
     */
    List<Note> notes(String name, String key);

    /**
     * Requests that a run stops. If there are several requests, the first reason is kept. A run that is blocked, in
     * doubt or parked becomes pending, so that a node can stop it.
     *
     * @param id the run's id
     * @param reason the reason for the cancellation
     * @return the result of the call
     */
    Answer cancel(RunId id, String reason);

    /**
     * Continues a run that has failed, is parked or blocked, or could not be compensated.
     *
     * @param id the run's id
     * @return true if the run continues; a run that failed and was compensated does not continue
     * @throws KeyInUseException if the end of the run made its key {@linkplain StartKey.Kind#WHILE_OPEN free}, and
     *     another open run has that key now
     */
    boolean retry(RunId id);

    /**
     * Records whether a step took effect, and continues the run. The run must be in doubt about the step, or blocked
     * with the step's result as the last entry of its journal.
     *
     * @param id the run's id
     * @param entry an entry with {@link JournalEntry.Mark#DONE} or {@link JournalEntry.Mark#ABSENT}; its position is ignored
     * @return true if the decision was recorded; false if the run is in neither of these states
     */
    boolean resolve(RunId id, JournalEntry entry);

    /**
     * Ends a run permanently without executing its code: nothing is compensated, and the run is never picked up again.
     * The reason is stored in front of the run's error. The given reason also becomes the reason for the cancellation,
     * unless the run was already cancelled.
     *
     * @param id the run's id
     * @param reason the reason
     * @param orphaned true if the caller's node does not have the code of the run. The call then ends the run in any
     *     state, unless it has already ended or a node executes it. Otherwise, the call ends only a run that is
     *     blocked, in doubt or parked, or that could not be compensated
     * @return true if the run was ended
     */
    boolean giveUp(RunId id, String reason, boolean orphaned);
}
