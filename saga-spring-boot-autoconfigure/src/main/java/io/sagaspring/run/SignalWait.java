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
 * Waits for signals and replies. A value that does not have the expected type is rejected and the rejection is
 * journaled, because a sender's mistake must not block the run.
 */
final class SignalWait {

    private static final Logger logger = LoggerFactory.getLogger(SignalWait.class);

    private final RunControl control;
    private final Journal journal;
    private final RunId run;
    private final Payloads payloads;
    private final Function<JournalEntry, @Nullable Duration> remaining;

    /**
     * Creates an instance for the waits of one run.
     *
     * @param remaining the function that returns how long the wait of an entry still lasts, or null if the wait has no
     *     time limit
     */
    SignalWait(RunControl control, RunId run, Payloads payloads, Function<JournalEntry, @Nullable Duration> remaining) {
        this.control = control;
        this.journal = control.journal();
        this.run = run;
        this.payloads = payloads;
        this.remaining = remaining;
    }

    /** The received value, which may be null. */
    record Received(@Nullable Object value) {}

    /**
     * A run's wait for a signal or a reply.
     *
     * @param signal the name of the signal
     * @param within the time limit, or null for none
     * @param exact true for a reply: once a reply is accepted, neither the time limit nor a stop can end the wait
     */
    record Wait(String signal, @Nullable Duration within, boolean exact) {}

    /** Returns the value, or empty if none arrived in time. */
    Optional<Received> await(Wait wait, Type type) {
        JournalEntry entry = control.replay(wait.signal(), Call.SIGNAL);
        JournalEntry waiting = null;
        while (entry != null && (entry.mark() == Mark.WAITING || entry.mark() == Mark.REFUSED)) {
            if (entry.mark() == Mark.WAITING) {
                waiting = entry;
            } else if (wait.exact()) {
                throw new StepFailedException(wait.signal(), entry.reason(), null);
            }
            entry = control.replayMore(wait.signal(), Call.SIGNAL);
        }
        if (entry == null) {
            return await(wait, type, waiting);
        }
        return entry.mark() == Mark.TIMED_OUT
                ? Optional.empty()
                : Optional.of(new Received(control.read(entry, payloads, type)));
    }

    private Optional<Received> await(Wait wait, Type type, @Nullable JournalEntry waiting) {
        String signal = wait.signal();
        Duration within = wait.within();
        Duration timeout = waiting == null ? within : remaining.apply(waiting);
        boolean isAnnounced = waiting != null;
        while (true) {
            Optional<RunInbox.Signal> next = control.nextSignal(signal);
            if (next.isPresent()) {
                Optional<Received> received = deliver(wait, next.get(), type);
                if (received.isPresent()) {
                    return received;
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
            control.suspend(timeout);
        }
    }

    private boolean isOver(Wait wait, @Nullable JournalEntry waiting) {
        if (waiting == null) {
            return wait.exact() && wait.within() != null && wait.within().isZero();
        }
        Duration rest = remaining.apply(waiting);
        return rest != null && (rest.isNegative() || rest.isZero());
    }

    /**
     * Delivers a signal. Returns empty if its value is rejected. The run then waits for the next signal. A wait for a
     * reply fails instead, because no other reply may follow.
     */
    private Optional<Received> deliver(Wait wait, RunInbox.Signal signal, Type type) {
        Object value;
        try {
            value = payloads.read(signal.value(), type);
        } catch (PayloadException unreadable) {
            if (!payloads.isOwn(signal.value())) {
                // Write the completed steps first, because another node may have the codec that wrote the value. That
                // node must not repeat these steps.
                journal.write();
                throw control.earlyExit().leave(new Exit.Blocked(String.valueOf(unreadable.getMessage()), unreadable));
            }
            logger.warn(
                    "Run {} has rejected a value of signal '{}', because it does not have the expected type: {}",
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
        return Optional.of(new Received(value));
    }
}
