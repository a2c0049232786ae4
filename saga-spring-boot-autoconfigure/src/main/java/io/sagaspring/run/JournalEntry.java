package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the journal says at one position.
 *
 * @param position 0 for the first
 * @param step which step it is about
 * @param call what the code asked for
 * @param mark what became of it
 * @param value what it returned, or was told
 * @param detail an error, an instant, the number of a signal, or who resolved the step
 * @param pause until when it waits, from when it is written
 * @param until the same, as it was written
 * @param at when it was written
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

    /** What the code asked for. */
    public enum Call {
        /** A step. */
        STEP,
        /** A step that is committed with its effects. */
        TRANSACTIONAL_STEP,
        /** To sleep. */
        SLEEP,
        /** To be told something. */
        SIGNAL,
        /** The time. */
        NOW,
        /** Nothing: it was told to stop before it began. */
        STOP,
        /** Nothing: it was told to stop, and a node that is gone may have begun it. */
        STOP_MID_STEP,
        /** What a later version of this library has written, and this one cannot read. */
        UNKNOWN;

        /**
         * Reads a name that a store has written.
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

    /** What became of it. */
    public enum Mark {
        /** It returned. */
        DONE,
        /** It threw, and the run went on. */
        FAILED,
        /** It is about to begin, and must not be begun again. */
        INTENT,
        /** What was intended never took effect. */
        ABSENT,
        /** It waits. */
        WAITING,
        /** It has waited for long enough. */
        TIMED_OUT,
        /** It was told something that cannot be read as what it waits for, and is told no more. */
        REFUSED,
        /** What a later version of this library has written, and this one cannot read. */
        UNKNOWN;

        /**
         * Reads a name that a store has written.
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

    /** What somebody says became of a step. The store knows its position and its call. */
    static JournalEntry resolved(String step, Mark mark, @Nullable StoredValue value, String by) {
        String detail = "resolved by %s".formatted(LogText.of(by));
        return new JournalEntry(0, step, Call.STEP, mark, value, detail, null, null, null);
    }

    static JournalEntry waiting(int position, String step, Call call, @Nullable Duration pause) {
        return new JournalEntry(position, step, call, Mark.WAITING, null, null, pause, null, null);
    }

    static JournalEntry signal(int position, String signal, RunInbox.Signal said) {
        String number = Long.toString(said.number());
        return new JournalEntry(position, signal, Call.SIGNAL, Mark.DONE, said.value(), number, null, null, null);
    }

    /** What was said is still where it was said. Why it is refused is for people. */
    static JournalEntry refused(int position, String signal, RunInbox.Signal said, @Nullable String why) {
        return marked(position, signal, Call.SIGNAL, Mark.REFUSED, said.number() + REASON + why);
    }

    /** Returns the signal that was taken or refused, if there was one. */
    Optional<String> signalNumber() {
        if (call != Call.SIGNAL || detail == null || (mark != Mark.DONE && mark != Mark.REFUSED)) {
            return Optional.empty();
        }
        int end = detail.indexOf(REASON);
        return Optional.of(end < 0 ? detail : detail.substring(0, end));
    }

    /**
     * Says why a signal was refused.
     *
     * @return the part of the detail that is for people
     */
    public String reason() {
        String text = String.valueOf(detail);
        return text.substring(text.indexOf(REASON) + REASON.length());
    }

    /**
     * Tells whether the run was told to stop at this step, so that the step has not begun and never will.
     *
     * @param otherStep the step's name
     * @return true if this entry says so
     */
    public boolean isStopAt(String otherStep) {
        return step.equals(otherStep) && (call == Call.STOP || call == Call.STOP_MID_STEP);
    }

    /**
     * Returns this entry as a store keeps it: the detail is bounded, and the pause has become the time at which it is over.
     *
     * @param now the store's clock
     * @return the entry of the journal
     */
    public JournalEntry writtenAt(Instant now) {
        Instant over = pause == null ? null : now.plus(StorageLimits.pause(pause));
        return new JournalEntry(position, step, call, mark, value, StorageLimits.text(detail), null, over, now);
    }

    /**
     * Returns this resolution of a step as the entry that follows the last one of the journal, which is about that step.
     *
     * @param last the last entry
     * @return the entry to be added
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
