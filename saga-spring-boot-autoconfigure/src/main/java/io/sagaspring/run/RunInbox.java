package io.sagaspring.run;

import java.time.Instant;
import java.util.List;

/**
 * The part of a store that takes signals, replies, notes, and the decisions of people, whichever node executes the run. A waiting run
 * that receives one of these, other than a note, is due at once.
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
     * A note beside a run. The run itself does not receive it.
     *
     * @param id the run's id
     * @param name the name of the note
     * @param key the key by which the note is found
     * @param at the time at which the note was last written
     */
    record Note(RunId id, String name, String key, Instant at) {}

    /** The result of sending something to a run. */
    enum Answer {
        /** It is durable, and the run will receive it. */
        ACCEPTED,
        /** One with this name and key was accepted before. Nothing was changed, and no run was made due. */
        REPEATED,
        /** The run has ended. */
        TOO_LATE,
        /** There is no such run. */
        UNKNOWN
    }

    /**
     * Lists the signals of a run, the first one first.
     *
     * @param id the run's id
     * @param name the name of the signals
     * @return all of them, also those that the run has already received
     */
    List<Signal> signals(RunId id, String name);

    /**
     * Signals a run.
     *
     * @param id the run's id
     * @param name the name of the signal
     * @param key the key of the signal: a repeated call with the same name and key changes nothing
     * @param value the value of the signal
     * @return the result of the call
     */
    Answer signal(RunId id, String name, String key, StoredValue value);

    /**
     * Replies to one wait of a run, if the wait has not ended. An accepted reply is given to the run, and the wait does not end in any
     * other way before.
     *
     * @param id the run's id
     * @param reply the reply
     * @return the result of the call, which is {@link Answer#TOO_LATE} if the run has ended or is compensating
     */
    Answer reply(RunId id, RunReply reply);

    /**
     * Writes a note beside a run, or renews the time of the existing note.
     *
     * @param id the run's id
     * @param name the name of the note
     * @param key the key by which the note is found
     * @return false if there is no such run, or the run has ended
     */
    boolean note(RunId id, String name, String key);

    /**
     * Lists the notes beside a run.
     *
     * @param id the run's id
     * @return all notes of the run
     */
    List<Note> notes(RunId id);

    /**
     * Lists the notes with a key, beside any run.
     *
     * @param name the name of the notes, or its beginning
     * @param key the key by which the notes are found
     * @return the notes, the latest first
     */
    List<Note> notes(String name, String key);

    /**
     * Requests that a run stops. If there are several requests, the first reason is kept.
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
     * @return true if the run continues; a run that has failed and was compensated does not
     */
    boolean retry(RunId id);

    /**
     * Records whether a step took effect: a step in doubt, or the last journaled step of a run that is blocked behind it.
     *
     * @param id the run's id
     * @param entry an entry with {@link JournalEntry.Mark#DONE} or {@link JournalEntry.Mark#ABSENT}; its position is ignored
     * @return true if the run was in doubt about that step, or is blocked and its journal ends with the result of that step
     */
    boolean resolve(RunId id, JournalEntry entry);

    /**
     * Ends a run for good without its code: nothing is compensated, and the run is never picked up again. The reason is written before
     * the error that the run had. It is also the reason for the cancellation, unless the run was cancelled before.
     *
     * @param id the run's id
     * @param reason the reason
     * @param orphaned true if the code of the run is gone: then any run is ended that has not ended and that no node executes. Otherwise
     *     only a run is ended that is blocked, in doubt, parked or could not be compensated
     * @return true if the run was ended
     */
    boolean giveUp(RunId id, String reason, boolean orphaned);
}
