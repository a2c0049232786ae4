package io.sagaspring.run;

import java.time.Instant;
import java.util.List;

/**
 * Takes what anyone tells a run, whichever node executes it: signals, replies, notes, and what a person decides. A run that waits
 * is due at once when it is told something.
 *
 * @since 0.1.0
 */
public interface RunInbox {

    /**
     * A signal that a run was sent.
     *
     * @param number greater than that of every earlier signal of the run
     * @param name the name of the signal
     * @param value its value
     */
    record Signal(long number, String name, StoredValue value) {}

    /**
     * A note beside a run. The run is not told of it.
     *
     * @param id the run's id
     * @param name the name of the note
     * @param key the key by which it is found
     * @param at the time at which it was noted last
     */
    record Note(RunId id, String name, String key, Instant at) {}

    /** Says what became of a signal. */
    enum Answer {
        /** It is durable, and the run will be given it when it asks. */
        ACCEPTED,
        /** It is a repetition: one of this name and key was accepted before. Nothing has changed, and nobody was woken. */
        REPEATED,
        /** The run has ended. */
        TOO_LATE,
        /** There is no such run. */
        UNKNOWN
    }

    /**
     * Lists the signals of a run, first things first.
     *
     * @param id the run's id
     * @param name the name of the signals
     * @return all of them, received by the run or not
     */
    List<Signal> signals(RunId id, String name);

    /**
     * Signals a run.
     *
     * @param id the run's id
     * @param name the name of the signal
     * @param key the same for each repetition
     * @param value its value
     * @return what became of it
     */
    Answer signal(RunId id, String name, String key, StoredValue value);

    /**
     * Replies to one wait of a run, if that has not ended: a reply that is accepted is given to the run, whose wait does not end
     * in any other way before.
     *
     * @param id the run's id
     * @param reply the reply
     * @return what became of it; too late also if the run compensates
     */
    Answer reply(RunId id, RunReply reply);

    /**
     * Notes something beside a run, or that it is so again.
     *
     * @param id the run's id
     * @param name the name of the note
     * @param key the key by which it is found
     * @return false if there is no such run, or it has ended
     */
    boolean note(RunId id, String name, String key);

    /**
     * Lists the notes beside a run.
     *
     * @param id the run's id
     * @return all of them
     */
    List<Note> notes(RunId id);

    /**
     * Lists the notes of a key, beside any run.
     *
     * @param name the name of the notes, or how it begins
     * @param key the key by which they are found
     * @return the latest first
     */
    List<Note> notes(String name, String key);

    /**
     * Asks a run to stop. The first reason stays.
     *
     * @param id the run's id
     * @param reason why it is to stop
     * @return what became of it
     */
    Answer cancel(RunId id, String reason);

    /**
     * Has a run go on that failed, is parked or blocked, or could not be compensated.
     *
     * @param id the run's id
     * @return whether it goes on; a run that failed and was compensated does not
     */
    boolean retry(RunId id);

    /**
     * Records what became of a step in doubt, or of a step whose result blocks the run that has come no further.
     *
     * @param id the run's id
     * @param entry {@link JournalEntry.Mark#DONE} or {@link JournalEntry.Mark#ABSENT}; its position is not looked at
     * @return whether the run was in doubt about that step, or is blocked and its journal ends with the result of that step
     */
    boolean resolve(RunId id, JournalEntry entry);

    /**
     * Ends a run for good, without its code: nothing is compensated, and it is never picked up again. The reason stands before
     * the error that the run had, and is why it was cancelled unless it was cancelled before.
     *
     * @param id the run's id
     * @param reason why it is ended
     * @param orphaned whether the run's code is gone. Then every run is ended that has not ended and that no node executes;
     *     otherwise only one that is blocked, in doubt, parked or could not be compensated
     * @return whether it was ended
     */
    boolean giveUp(RunId id, String reason, boolean orphaned);
}
