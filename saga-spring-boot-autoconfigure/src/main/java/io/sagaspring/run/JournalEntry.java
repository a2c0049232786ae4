package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a journal.
 *
 * @param position the position in the journal, starting at 0
 * @param step the name of the step
 * @param call the call that the code made
 * @param mark the result of the call
 * @param value the result of the step, or the value of the signal, or null
 * @param detail more information about the result: an error, an instant, the value of a label, the number of a signal,
 *     the id of a started run, the reason for a stop, or the person who resolved the step; null for none
 * @param pause the length of the wait, or of the pause before the next attempt, from the time at which the entry is
 *     written; null for none
 * @param until the time at which the wait or the pause ends, set when the entry is written; null for none
 * @param at the time at which the entry was written
 * @since 0.1.0
 */
public record JournalEntry(
        int position,
        String step,
        Call call,
        Mark mark,
        @Nullable StoredValue value,
        @Nullable String detail,
        @Nullable Duration pause,
        @Nullable Instant until,
        @Nullable Instant at) {

    private static final String REASON = ": ";

    /** The call in the code that the entry records. */
    public enum Call {
        /** A step. */
        STEP,
        /** A step whose writes and journal entry are committed together. */
        TRANSACTIONAL_STEP,
        /** A sleep. */
        SLEEP,
        /** A wait for a signal or a reply. */
        SIGNAL,
        /** The current time. */
        NOW,
        /** A label of the run. Its value is the detail. */
        LABEL,
        /** The run was stopped before a call began. */
        STOP,
        /** The run was stopped at a step that a previous node may have begun. */
        STOP_AMID,
        /** A call that was written by a later version of this library and that this version cannot read. */
        UNKNOWN;

        /**
         * Parses a name that a store has written.
         *
         * @param written the name
         * @return the call, or {@link #UNKNOWN} if this version of the library does not know it
         */
        public static Call of(String written) {
            return Stream.of(values())
                    .filter(each -> each.name().equals(written))
                    .findAny()
                    .orElse(UNKNOWN);
        }
    }

    /** The result of the call. */
    public enum Mark {
        /** The call returned. In the entry of a stop: the run was cancelled. */
        DONE,
        /** The call threw an exception, and the run continued. */
        FAILED,
        /** The step is about to begin, and must not begin again. */
        INTENT,
        /** The step has not taken effect, although its intent or its result was journaled before. */
        ABSENT,
        /** The call threw an exception, and is made again after a pause. */
        ATTEMPT_FAILED,
        /** The run waits. */
        WAITING,
        /** The time limit of the wait, or the deadline of the run, has passed. */
        TIMED_OUT,
        /** The value of the signal does not have the expected type. The run does not receive it. */
        REFUSED,
        /** A result that was written by a later version of this library and that this version cannot read. */
        UNKNOWN;

        /**
         * Parses a name that a store has written.
         *
         * @param written the name
         * @return the mark, or {@link #UNKNOWN} if this version of the library does not know it
         */
        public static Mark of(String written) {
            return Stream.of(values())
                    .filter(each -> each.name().equals(written))
                    .findAny()
                    .orElse(UNKNOWN);
        }
    }

    static JournalEntry done(int position, String step, Call call, @Nullable StoredValue value) {
        return new JournalEntry(position, step, call, Mark.DONE, value, null, null, null, null);
    }

    static JournalEntry marked(int position, String step, Call call, Mark mark, @Nullable String detail) {
        return new JournalEntry(position, step, call, mark, null, detail, null, null, null);
    }

    /** Creates the entry for a person's decision about a step. The store sets the position and the call. */
    static JournalEntry resolved(String step, Mark mark, @Nullable StoredValue value, String by) {
        String detail = "resolved by %s".formatted(LogText.of(by));
        return new JournalEntry(0, step, Call.STEP, mark, value, detail, null, null, null);
    }

    static JournalEntry waiting(int position, String step, Call call, @Nullable Duration pause) {
        return new JournalEntry(position, step, call, Mark.WAITING, null, null, pause, null, null);
    }

    /** Creates the entry of a failed attempt. The detail begins with the number of times that a person has retried the run. */
    static JournalEntry attemptFailed(int position, String step, Call call, int retries, String why, Duration pause) {
        return new JournalEntry(
                position, step, call, Mark.ATTEMPT_FAILED, null, retries + REASON + why, pause, null, null);
    }

    static JournalEntry signal(int position, String name, RunInbox.Signal signal) {
        String number = Long.toString(signal.number());
        return new JournalEntry(position, name, Call.SIGNAL, Mark.DONE, signal.value(), number, null, null, null);
    }

    /** Creates the entry for a rejected signal. The signal itself remains stored. The reason is for display. */
    static JournalEntry refused(int position, String name, RunInbox.Signal signal, @Nullable String why) {
        return marked(position, name, Call.SIGNAL, Mark.REFUSED, signal.number() + REASON + why);
    }

    /** Returns the number of the signal that was received or rejected, if the entry has one. */
    Optional<String> signalNumber() {
        if (call != Call.SIGNAL || detail == null || (mark != Mark.DONE && mark != Mark.REFUSED)) {
            return Optional.empty();
        }
        int end = detail.indexOf(REASON);
        return Optional.of(end < 0 ? detail : detail.substring(0, end));
    }

    /**
     * Returns how often a person had retried the run before this failed attempt. Returns -1 if the entry is not about a
     * failed attempt.
     */
    int attemptedAfter() {
        if (mark != Mark.ATTEMPT_FAILED || detail == null) {
            return -1;
        }
        try {
            return Integer.parseInt(detail.substring(0, Math.max(0, detail.indexOf(REASON))));
        } catch (NumberFormatException unreadable) {
            return -1;
        }
    }

    /**
     * Returns the reason why a signal was rejected or an attempt failed.
     *
     * @return the part of the detail that is meant for display
     */
    public String reason() {
        String text = String.valueOf(detail);
        return text.substring(text.indexOf(REASON) + REASON.length());
    }

    /**
     * Returns true if this entry records that the run was stopped at the given step. The step's code is then not
     * executed again.
     *
     * @param otherStep the name of the step
     * @return true if the run was stopped at this step
     */
    public boolean isStopAt(String otherStep) {
        return step.equals(otherStep) && (call == Call.STOP || call == Call.STOP_AMID);
    }

    /**
     * Returns this entry in the form in which a store keeps it. The detail is limited in length, and the pause is
     * replaced by the time at which it ends.
     *
     * @param now the current time by the store's clock
     * @return the entry to store
     */
    public JournalEntry writtenAt(Instant now) {
        Instant over = pause == null ? null : now.plus(StorageLimits.pause(pause));
        return new JournalEntry(position, step, call, mark, value, StorageLimits.text(detail), null, over, now);
    }

    /**
     * Returns this decision about a step as the journal's next entry. The last entry must be about the same step.
     *
     * @param last the last entry
     * @return the entry to add
     */
    public JournalEntry behind(JournalEntry last) {
        return new JournalEntry(last.position + 1, last.step, last.call, mark, value, detail, null, null, null);
    }

    boolean isReadable() {
        return call != Call.UNKNOWN && mark != Mark.UNKNOWN;
    }

    boolean isAbout(String otherStep, Call otherCall) {
        return step.equals(otherStep) && call == otherCall;
    }

    @Override
    public String toString() {
        return "%s '%s' (%s)".formatted(call, step, mark);
    }
}
