package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for what a run is told. A value that does not fit is refused, and the journal says so: what came from outside must
 * not hold up the run.
 */
final class SignalWait {

    private static final Logger logger = LoggerFactory.getLogger(SignalWait.class);

    private final RunControl control;
    private final Journal journal;
    private final RunId run;
    private final Payloads payloads;
    private final Function<JournalEntry, @Nullable Duration> left;

    /**
     * Waits of one run.
     *
     * @param left how much longer an entry waits, or null if it says nothing about that
     */
    SignalWait(RunControl control, RunId run, Payloads payloads, Function<JournalEntry, @Nullable Duration> left) {
        this.control = control;
        this.journal = control.journal();
        this.run = run;
        this.payloads = payloads;
        this.left = left;
    }

    /** What was said, which may be null. */
    record Said(@Nullable Object value) {}

    /**
     * For what it is waited.
     *
     * @param signal its name
     * @param within for how long, or null
     * @param exact whether it is to be given whatever was accepted before the wait is over, and nothing else
     */
    record Wait(String signal, @Nullable Duration within, boolean exact) {}

    /** Empty if nobody says anything in time. */
    Optional<Said> await(Wait wait, Type type) {
        JournalEntry told = control.replay(wait.signal(), Call.SIGNAL);
        JournalEntry waiting = null;
        while (told != null && (told.mark() == Mark.WAITING || told.mark() == Mark.REFUSED)) {
            if (told.mark() == Mark.WAITING) {
                waiting = told;
            } else if (wait.exact()) {
                throw new StepFailedException(wait.signal(), told.reason(), null);
            }
            told = control.replayMore(wait.signal(), Call.SIGNAL);
        }
        if (told == null) {
            return await(wait, type, waiting);
        }
        return told.mark() == Mark.TIMED_OUT
                ? Optional.empty()
                : Optional.of(new Said(control.read(told, payloads, type)));
    }

    private Optional<Said> await(Wait wait, Type type, @Nullable JournalEntry waiting) {
        String signal = wait.signal();
        Duration within = wait.within();
        Duration patience = waiting == null ? within : left.apply(waiting);
        boolean isAnnounced = waiting != null;
        while (true) {
            Optional<RunInbox.Signal> next = control.nextSignal(signal);
            if (next.isPresent()) {
                Optional<Said> said = taken(wait, next.get(), type);
                if (said.isPresent()) {
                    return said;
                }
                continue;
            }
            if (isOver(wait, waiting)) {
                if (control.conclude(
                        JournalEntry.marked(journal.position(), signal, Call.SIGNAL, Mark.TIMED_OUT, null))) {
                    return Optional.empty();
                }
                continue;
            }
            if (!wait.exact()) {
                control.requireNotToStop(signal);
            } else if (!control.requireNotToStopAwaiting(signal)) {
                continue;
            }
            if (!isAnnounced) {
                journal.add(JournalEntry.waiting(journal.position(), signal, Call.SIGNAL, within));
                isAnnounced = true;
            }
            control.suspend(patience);
        }
    }

    private boolean isOver(Wait wait, @Nullable JournalEntry waiting) {
        if (waiting == null) {
            return wait.exact() && wait.within() != null && wait.within().isZero();
        }
        Duration more = left.apply(waiting);
        return more != null && (more.isNegative() || more.isZero());
    }

    /** Empty if it was refused, and the run waits for the next. Of a reply there is no next: what asked for it fails. */
    private Optional<Said> taken(Wait wait, RunInbox.Signal signal, Type type) {
        Object value;
        try {
            value = payloads.read(signal.value(), type);
        } catch (PayloadException unreadable) {
            if (!payloads.isOwn(signal.value())) {
                // Another node may have the codec that has written it, and is not to repeat what is done.
                journal.write();
                throw control.leaving().leave(new Exit.Blocked(String.valueOf(unreadable.getMessage()), unreadable));
            }
            logger.warn(
                    "Run {} was told '{}' and cannot read it: {}",
                    run,
                    LogText.of(wait.signal()),
                    LogText.of(unreadable.getMessage()));
            JournalEntry refused =
                    JournalEntry.refused(journal.position(), wait.signal(), signal, unreadable.getMessage());
            if (wait.exact()) {
                journal.addFailure(refused);
                throw new StepFailedException(wait.signal(), refused.reason(), unreadable);
            }
            journal.add(refused);
            return Optional.empty();
        }
        journal.add(JournalEntry.signal(journal.position(), wait.signal(), signal));
        return Optional.of(new Said(value));
    }
}
