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
 * The control state of a run while it is executed: signals, a cancellation, a deadline, the shutdown of the
 * node. A request to stop is delivered to the run once, at a journaled position. The run is suspended only if its control
 * state has not changed since the node last read it. After {@link #ending()}, the same holds for completing.
 */
final class RunControl {

    /** The name under which a stop is journaled that reaches the run at its end. */
    private static final String END = "end";

    private final RunStore store;
    private final RunId run;
    private final BooleanSupplier closing;
    private final EarlyExit earlyExit = new EarlyExit();
    private final Journal journal;
    private final Set<String> delivered = new HashSet<>();
    private ControlState controlState;
    private @Nullable JournalEntry stop;
    private boolean compensating;
    private boolean endsUnlessChanged;

    /**
     * Creates the control of a run that was picked up.
     *
     * @param closing returns true if no step may begin any more
     */
    RunControl(RunStore store, PickedUpRun pickedUp, BooleanSupplier closing) {
        this.store = store;
        this.run = pickedUp.runLease().id();
        this.closing = closing;
        this.controlState = pickedUp.controlState();
        this.journal = new Journal(store, pickedUp, earlyExit, this::update);
        pickedUp.journal().forEach(each -> each.signalNumber().ifPresent(delivered::add));
    }

    private void update(ControlState latest) {
        controlState = latest;
    }

    Journal journal() {
        return journal;
    }

    EarlyExit earlyExit() {
        return earlyExit;
    }

    /** Returns the reason for the cancellation, or null if the run was not cancelled. */
    @Nullable
    String cancelReason() {
        return controlState.cancelReason();
    }

    /** Replays the entry at this position. Returns null if there is none: from here on, nothing is replayed. */
    @Nullable
    JournalEntry replay(String step, Call call) {
        earlyExit.requireNotLeft();
        return replayMore(step, call);
    }

    /** Replays the next entry of a step whose beginning is journaled, if there is one. */
    @Nullable
    JournalEntry replayMore(String step, Call call) {
        requireNotStoppedAt(step);
        return journal.isReplaying() ? journal.replay(step, call) : null;
    }

    /**
     * Reads the value of an entry. A value that cannot be read blocks the run, unless the run is to stop and the entry is the last one.
     */
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
            throw earlyExit.leave(new Exit.Blocked(
                    "The journaled value of '%s' cannot be read: %s The run continues when the code fits again. If this is the last step, Runs.resolveAsDone replaces the value."
                            .formatted(entry.step(), unreadable.getMessage()),
                    unreadable));
        }
        requireNotStoppedBehind(entry.step());
        return value;
    }

    /** Throws the stop again, if it is journaled at this step. */
    private void requireNotStoppedAt(String step) {
        JournalEntry upcoming = journal.upcoming();
        if (upcoming != null && upcoming.isStopAt(step)) {
            throw stop(journal.replayStop());
        }
    }

    /**
     * Throws the stop again, if it is journaled behind a sleep or behind a value that could not be read. Only such a stop has a time: the
     * stop of a later signal with the same name has none.
     */
    void requireNotStoppedBehind(String step) {
        JournalEntry upcoming = journal.upcoming();
        if (upcoming != null && upcoming.until() != null) {
            requireNotStoppedAt(step);
        }
    }

    /** Leaves the code before a step begins, if the node closes: the step is left to another node. */
    void requireNotClosing() {
        if (closing.getAsBoolean()) {
            throw earlyExit.leave(new Exit.HandedOver());
        }
    }

    /** Journals the stop and throws it, if the run is to stop. Call it before anything that is not in the journal yet. */
    void requireNotToStop(String step) {
        requireNotToStop(step, null);
    }

    /** Journals the stop and throws it, if the run is to stop. The time marks a stop at a sleep or at a value that cannot be read. */
    void requireNotToStop(String step, @Nullable Duration remaining) {
        if (isToStop()) {
            JournalEntry entry = stopAt(step, remaining);
            journal.add(entry);
            throw stop(entry);
        }
    }

    /**
     * Journals the stop and throws it before a wait for a reply, if the run is to stop. A reply has precedence: returns false if the
     * control state has changed meanwhile.
     */
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

    private JournalEntry stopAt(String step, @Nullable Duration remaining) {
        String why = controlState.cancelReason();
        Mark mark = why == null ? Mark.TIMED_OUT : Mark.DONE;
        Call call = journal.mayHaveBegun() ? Call.STOP_AMID : Call.STOP;
        return new JournalEntry(journal.position(), step, call, mark, null, why, remaining, null, null);
    }

    private RunStoppedException stop(JournalEntry entry) {
        stop = entry;
        return new RunStoppedException(entry.mark() == Mark.DONE, entry.call() == Call.STOP_AMID, entry.detail());
    }

    /** Tells whether the run is to stop and has not been stopped yet. */
    boolean isToStop() {
        return stop == null && !compensating && controlState.isToStop();
    }

    /** Returns the state in which a stopped run ends, or null if the run was not stopped. */
    @Nullable
    RunState stoppedAs() {
        if (stop == null) {
            return null;
        }
        return stop.mark() == Mark.DONE ? RunState.CANCELLED : RunState.FAILED;
    }

    /** Removes the entry of the deadline, if the run ends with it and has added nothing since. A retry then continues from there. */
    void forgetDeadline() {
        if (stop != null && stop.mark() == Mark.TIMED_OUT) {
            journal.forgetIfLast(stop);
        }
    }

    /** Declares that the run compensates. From here on the run is not stopped. A replayed declaration is stored already. */
    void compensating() {
        earlyExit.requireNotLeft();
        compensating = true;
        if (!journal.isReplaying()) {
            update(earlyExit.callStore(() -> journal.with(store::compensate)));
            journal.written();
        }
    }

    /** Returns the next signal that the run has not received yet. The journal has the numbers of the received ones. */
    Optional<RunInbox.Signal> nextSignal(String name) {
        if (controlState.signals() == 0) {
            return Optional.empty();
        }
        return earlyExit.callStore(() -> store.signals(run, name)).stream()
                .filter(each -> delivered.add(Long.toString(each.number())))
                .findFirst();
    }

    /** Writes the entry, unless the control state has changed: then this object is updated, and nothing is added. */
    boolean conclude(JournalEntry entry) {
        return journal.writeUnlessChanged(entry, controlState);
    }

    /** Suspends the run. Returns only if the control state has changed meanwhile. */
    void suspend(@Nullable Duration pause) {
        if (earlyExit.callStore(() -> trySuspend(pause))) {
            journal.written();
            throw earlyExit.leave(new Exit.Suspended(pause));
        }
        // The change may be a request to stop.
        journal.writeAndUpdate();
    }

    /** Releases the run between two steps, so that any node can continue. Returns false if the control state has changed meanwhile. */
    boolean suspendForAnyNode() {
        return !journal.mayHaveBegun() && trySuspend(Duration.ZERO);
    }

    private boolean trySuspend(@Nullable Duration pause) {
        return journal.with((runLease, added) -> store.suspend(runLease, added, pause, controlState));
    }

    /** Declares the end of the code. From here on, a stop is thrown here or not at all. */
    void ending() {
        earlyExit.requireNotLeft();
        requireNotStoppedAt(END);
        requireNotToStop(END);
        endsUnlessChanged = true;
    }

    /** Ends the run. Returns false if the control state has changed meanwhile and the run has to see the change before. */
    boolean end(RunExecutions.Ending ending) {
        return journal.with((runLease, added) -> {
            if (endsUnlessChanged && ending.state() == RunState.COMPLETED) {
                return store.endUnlessChanged(runLease, added, ending, controlState);
            }
            store.end(runLease, added, ending);
            return true;
        });
    }
}
