package io.sagaspring.run;

import io.sagaspring.payload.PayloadException;
import io.sagaspring.run.JournalEntry.Call;
import io.sagaspring.run.JournalEntry.Mark;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a run is told while it is executed, and what follows from it: signals, a cancellation, a deadline, a node that closes. A run
 * that is told to stop hears it once, and the journal says where. A run waits, and ends, only if it has heard everything before.
 */
final class RunControl {

    /** Where it is told to stop that has come to its end. */
    private static final String END = "end";

    private final RunStore store;
    private final RunId run;
    private final BooleanSupplier closing;
    private final EarlyExit leaving = new EarlyExit();
    private final Journal journal;
    private final Set<String> delivered = new HashSet<>();
    private ControlState standing;
    private @Nullable JournalEntry stop;
    private boolean compensating;
    private boolean endsUnlessTold;

    /**
     * Creates the control of a run that was picked up.
     *
     * @param closing whether no step is to be begun any more
     */
    RunControl(RunStore store, PickedUpRun taken, BooleanSupplier closing) {
        this.store = store;
        this.run = taken.runLease().id();
        this.closing = closing;
        this.standing = taken.standing();
        this.journal = new Journal(store, taken, leaving, this::heard);
        taken.journal().forEach(each -> each.signalNumber().ifPresent(delivered::add));
    }

    private void heard(ControlState told) {
        standing = told;
    }

    Journal journal() {
        return journal;
    }

    EarlyExit leaving() {
        return leaving;
    }

    /** Returns why the run is to be cancelled, or null. */
    @Nullable
    String cancelReason() {
        return standing.cancelReason();
    }

    /** Replays the entry at this position. Returns null if there is none: from here on the run is executed. */
    @Nullable
    JournalEntry replay(String step, Call call) {
        leaving.requireNotLeft();
        return replayMore(step, call);
    }

    /** Replays what became of the step of which an earlier entry says that it began. */
    @Nullable
    JournalEntry replayMore(String step, Call call) {
        requireNotStoppedAt(step);
        return journal.isReplaying() ? journal.replay(step, call) : null;
    }

    /** Reads what an entry has. What cannot be read blocks the run, unless it is to stop and has come no further. */
    @Nullable
    Object read(JournalEntry entry, Payloads payloads, Type type) {
        Object value;
        try {
            value = payloads.read(entry.value(), type);
        } catch (PayloadException unreadable) {
            requireNotStoppedAt(entry.step());
            if (!journal.isReplaying()) {
                requireNotToStop(entry.step(), Duration.ZERO);
            }
            throw leaving.leave(new Exit.Blocked(
                    "What is journaled for '%s' cannot be read: %s It goes on when the code fits again; if it is the last step, Runs.resolveAsDone says what it returned."
                            .formatted(entry.step(), unreadable.getMessage()),
                    unreadable));
        }
        requireNotStoppedBehind(entry.step());
        return value;
    }

    /** That it was told to stop is said where it was, and thrown there again. */
    private void requireNotStoppedAt(String step) {
        JournalEntry upcoming = journal.upcoming();
        if (upcoming != null && upcoming.isStopAt(step)) {
            throw stop(journal.replayStop());
        }
    }

    /**
     * Nothing says that a sleep was over, or that what was stored could not be read when it was told to stop. What was told to
     * stop behind it may also be a signal of its name, which has no time left.
     */
    void requireNotStoppedBehind(String step) {
        JournalEntry upcoming = journal.upcoming();
        if (upcoming != null && upcoming.until() != null) {
            requireNotStoppedAt(step);
        }
    }

    /** Before a step is begun: what is begun is given time to end, and what is not is another node's. */
    void requireNotClosing() {
        if (closing.getAsBoolean()) {
            throw leaving.leave(new Exit.HandedOver());
        }
    }

    /** Before something is done of which nothing is known yet. */
    void requireNotToStop(String step) {
        requireNotToStop(step, null);
    }

    /** Before it goes on to sleep, or where what is journaled cannot be read, which leaves no time. */
    void requireNotToStop(String step, @Nullable Duration left) {
        if (isToStop()) {
            JournalEntry entry = stopAt(step, left);
            journal.add(entry);
            throw stop(entry);
        }
    }

    /** Before it waits for a reply, which is preferred to stopping. Returns false if it was told something meanwhile. */
    boolean requireNotToStopAwaiting(String signal) {
        if (!isToStop()) {
            return true;
        }
        JournalEntry entry = stopAt(signal, null);
        if (conclude(entry)) {
            throw stop(entry);
        }
        return false;
    }

    private JournalEntry stopAt(String step, @Nullable Duration left) {
        String why = standing.cancelReason();
        Mark mark = why == null ? Mark.TIMED_OUT : Mark.DONE;
        Call call = journal.mayHaveBegun() ? Call.STOP_MID_STEP : Call.STOP;
        return new JournalEntry(journal.position(), step, call, mark, null, why, left, null, null);
    }

    private RunStoppedException stop(JournalEntry entry) {
        stop = entry;
        return new RunStoppedException(entry.mark() == Mark.DONE, entry.call() == Call.STOP_MID_STEP, entry.detail());
    }

    /** Whether it has to hear that it is to stop. */
    boolean isToStop() {
        return stop == null && !compensating && standing.isToStop();
    }

    /** Returns the state in which a run ends that has heard that it is to stop, or null if it has not. */
    @Nullable
    RunState stoppedAs() {
        if (stop == null) {
            return null;
        }
        return stop.mark() == Mark.DONE ? RunState.CANCELLED : RunState.FAILED;
    }

    /** If the run ends with its deadline and nothing was done about that, a retry goes on from there. */
    void forgetDeadline() {
        if (stop != null && stop.mark() == Mark.TIMED_OUT) {
            journal.forgetIfLast(stop);
        }
    }

    /** From here on it undoes what it did, and is told to stop no more. Where it is only replayed, it was said before. */
    void compensating() {
        leaving.requireNotLeft();
        compensating = true;
        if (!journal.isReplaying()) {
            heard(leaving.asking(() -> journal.with(store::compensate)));
            journal.written();
        }
    }

    /** Each is taken up once, which its number in the journal says. */
    Optional<RunInbox.Signal> nextSignal(String name) {
        if (standing.signals() == 0) {
            return Optional.empty();
        }
        return leaving.asking(() -> store.signals(run, name)).stream()
                .filter(each -> delivered.add(Long.toString(each.number())))
                .findFirst();
    }

    /** Adds it durably, unless the run was told something meanwhile: then that is known, and nothing is added. */
    boolean conclude(JournalEntry entry) {
        return journal.writeUnlessTold(entry, standing);
    }

    /** Leaves the run until a time, or until it is told something. Returns only if it was told something meanwhile. */
    void suspend(@Nullable Duration pause) {
        if (leaving.asking(() -> suspended(pause))) {
            journal.written();
            throw leaving.leave(new Exit.Suspended(pause));
        }
        // It may have been told to stop.
        journal.writeAndHear();
    }

    /** Leaves it to whoever is next, from between two steps. Returns false if it was told something meanwhile. */
    boolean suspendForOthers() {
        return !journal.mayHaveBegun() && suspended(Duration.ZERO);
    }

    private boolean suspended(@Nullable Duration pause) {
        return journal.with((runLease, added) -> store.suspend(runLease, added, pause, standing));
    }

    /** The code has come to its end. From here on it is told to stop here, or not at all. */
    void ending() {
        leaving.requireNotLeft();
        requireNotStoppedAt(END);
        requireNotToStop(END);
        endsUnlessTold = true;
    }

    /** Returns false if it was told something meanwhile, which it has to hear before. */
    boolean end(RunExecutions.Ending ending) {
        return journal.with((runLease, added) -> {
            if (endsUnlessTold && ending.state() == RunState.COMPLETED) {
                return store.endUnlessTold(runLease, added, ending, standing);
            }
            store.end(runLease, added, ending);
            return true;
        });
    }
}
