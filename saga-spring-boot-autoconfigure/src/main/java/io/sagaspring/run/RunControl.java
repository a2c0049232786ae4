package io.sagaspring.run;

import io.sagaspring.fence.Hold;
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
 * The control state of a run during its execution: signals, a cancellation, a deadline, and the shutdown of the node. A
 * request to stop is delivered to the run once, at a position that is then journaled. The run is suspended only if its
 * control state has not changed since the node last read it. After {@link #ending()}, the run completes only under the
 * same condition.
 */
final class RunControl {

    /** The name under which a stop at the end of the run is journaled. */
    private static final String END = "end";

    private final RunStore store;
    private final RunId run;
    private final BooleanSupplier closing;
    private final Hold hold;
    private final CallersThread callersThread;
    private final EarlyExit earlyExit = new EarlyExit();
    private final Journal journal;
    private final Set<String> delivered = new HashSet<>();
    private ControlState controlState;
    private @Nullable JournalEntry stop;
    private boolean compensating;
    private boolean endsUnlessChanged;

    /**
     * Creates the control state of a run that was picked up.
     *
     * @param closing the check that returns true if no further step may begin
     * @param hold the hold, which interrupts the thread that executes the run
     * @param callersThread the caller's thread if a caller executes the run, otherwise {@link CallersThread#NONE}
     */
    RunControl(RunStore store, PickedUpRun pickedUp, BooleanSupplier closing, Hold hold, CallersThread callersThread) {
        this.store = store;
        this.run = pickedUp.runLease().id();
        this.closing = closing;
        this.hold = hold;
        this.callersThread = callersThread;
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

    /**
     * Replays the entry at this position. Returns null if there is none, which means that the replay has ended.
     */
    @Nullable
    JournalEntry replay(String step, Call call) {
        earlyExit.requireNotLeft();
        return replayMore(step, call);
    }

    /**
     * Replays a further entry of a step or wait whose first entry was replayed before. Returns null if there is none.
     */
    @Nullable
    JournalEntry replayMore(String step, Call call) {
        requireNotStoppedAt(step);
        return journal.isReplaying() ? journal.replay(step, call) : null;
    }

    /**
     * Reads the value of an entry. If the value cannot be read, blocks the run. But if the entry is the last one and
     * the run must stop, stops the run instead.
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
                    "The journaled value of '%s' cannot be read: %s The run continues when the code can read the value again. If this is the last step in the journal, Runs.resolveAsDone can replace the value."
                            .formatted(entry.step(), unreadable.getMessage()),
                    unreadable));
        }
        requireNotStoppedBehind(entry.step());
        return value;
    }

    /** Throws the stop exception again if a stop is journaled at this step. */
    private void requireNotStoppedAt(String step) {
        JournalEntry upcoming = journal.upcoming();
        if (upcoming != null && upcoming.isStopAt(step)) {
            throw stop(journal.replayStop());
        }
    }

    /**
     * Throws the stop exception again if a stop is journaled after a sleep or after a value that could not be read. The
     * time in the stop's entry distinguishes it from the entry of a stop at a later signal with the same name.
     */
    void requireNotStoppedBehind(String step) {
        JournalEntry upcoming = journal.upcoming();
        if (upcoming != null && upcoming.until() != null) {
            requireNotStoppedAt(step);
        }
    }

    /**
     * If the node is shutting down, or the caller's thread was interrupted, but not by the library, exits the code
     * before the step begins. Another node or thread then executes the step.
     */
    void requireNotClosing() {
        // Check the thread first. The hold sets its stop before it interrupts the thread. So if there is no stop, the
        // interrupt does not come from the library.
        boolean interrupted = callersThread.isInterrupted() && hold.stop() == null;
        if (interrupted || closing.getAsBoolean()) {
            throw earlyExit.leave(new Exit.HandedOver());
        }
    }

    /**
     * Clears an interrupt that the code has left on its thread, so that it does not interrupt the next step or attempt.
     * On a caller's thread, remembers the interrupt for the caller.
     */
    void takeInterrupt() {
        if (hold.takeForeignInterrupt()) {
            callersThread.interrupted();
        }
    }

    /** If the thread was interrupted while it executed a step, exits the code. The interrupt does not fail the step. */
    void requireNotInterrupted(Throwable failed) {
        Exit.Unwound interrupted = interruptedBy(failed);
        if (interrupted != null) {
            throw earlyExit.leave(interrupted);
        }
    }

    /** Returns the exit of a run whose thread was interrupted, or null if the code has failed for another reason. */
    Exit.@Nullable Unwound interruptedBy(Throwable failed) {
        Hold.Stop stop = hold.stop();
        if (stop != null) {
            return new Exit.Released("The run had to stop: %s.".formatted(stop.reason()), failed);
        }
        return callersThread.isInterrupted(failed) ? new Exit.Interrupted(failed) : null;
    }

    /**
     * If the run must stop, journals the stop and throws the stop exception. Call this method before doing anything
     * that is not yet in the journal.
     */
    void requireNotToStop(String step) {
        requireNotToStop(step, null);
    }

    /**
     * If the run must stop, journals the stop and throws the stop exception. For a stop at a sleep, or at a value that
     * cannot be read, pass a time: it marks the stop's entry.
     */
    void requireNotToStop(String step, @Nullable Duration remaining) {
        if (isToStop()) {
            JournalEntry entry = stopAt(step, remaining);
            journal.add(entry);
            throw stop(entry);
        }
    }

    /**
     * If the run must stop, journals the stop before a wait for a reply and throws the stop exception. If the run need
     * not stop, returns true. If the control state has changed in the meantime, does not journal the stop and returns
     * false: a reply may have arrived, which takes precedence over the stop.
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

    /** Returns true if the run must stop and has not been stopped yet. */
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

    /**
     * If the run was stopped because of its deadline, and the entry of this stop is the last one, removes the entry. A
     * retry of the run then continues at the call where the run was stopped.
     */
    void forgetDeadline() {
        if (stop != null && stop.mark() == Mark.TIMED_OUT) {
            journal.forgetIfLast(stop);
        }
    }

    /**
     * Declares that the run compensates. From then on, the run can no longer be stopped. During a replay, the store
     * already has this declaration.
     */
    void compensating() {
        earlyExit.requireNotLeft();
        compensating = true;
        if (!journal.isReplaying()) {
            update(earlyExit.callStore(() -> journal.with(store::compensate)));
            journal.written();
        }
    }

    /**
     * Returns the oldest signal with this name that the run has neither received nor rejected. The journal contains the
     * numbers of the signals that the run has received or rejected.
     */
    Optional<RunInbox.Signal> nextSignal(String name) {
        if (controlState.signals() == 0) {
            return Optional.empty();
        }
        return earlyExit.callStore(() -> store.signals(run, name)).stream()
                .filter(each -> delivered.add(Long.toString(each.number())))
                .findFirst();
    }

    /**
     * Writes the entry unless the control state has changed. If it has, reads the new control state and returns false.
     */
    boolean conclude(JournalEntry entry) {
        return journal.writeUnlessChanged(entry, controlState);
    }

    /**
     * Suspends the run for the given time, and exits its code. Without a time, the run waits for its deadline, or until
     * something is sent to it. Returns only if the control state has changed in the meantime; the run is then not
     * suspended.
     */
    void suspend(@Nullable Duration pause) {
        suspend(new Exit.Suspended(pause, RunEvent.SUSPENDED, null));
    }

    /**
     * Suspends the run and exits its code. The given exit contains the pause, and is what {@link ExitWriter} receives
     * afterwards. Returns only if the control state has changed in the meantime; the run is then not suspended.
     */
    void suspend(Exit.Suspended exit) {
        if (earlyExit.callStore(() -> trySuspend(exit.pause()))) {
            journal.written();
            throw earlyExit.leave(exit);
        }
        // Read the new control state, because it may contain a request to stop.
        journal.writeAndUpdate();
    }

    /**
     * Releases the run between two steps, so that any node can continue. Returns false, and does not release the run,
     * if the next step may already have begun or the control state has changed in the meantime.
     */
    boolean suspendForAnyNode() {
        return !journal.mayHaveBegun() && trySuspend(Duration.ZERO);
    }

    private boolean trySuspend(@Nullable Duration pause) {
        return journal.with((runLease, added) -> store.suspend(runLease, added, pause, controlState));
    }

    /**
     * Declares that the code is about to end. Throws the stop exception if the run must stop. If a request to stop
     * arrives only after this call, {@link #end} returns false.
     */
    void ending() {
        earlyExit.requireNotLeft();
        requireNotStoppedAt(END);
        requireNotToStop(END);
        endsUnlessChanged = true;
    }

    /**
     * Ends the run. After {@link #ending()}, does not complete the run if its control state has changed: returns false,
     * and the run must be executed again, so that it notices the change.
     */
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
