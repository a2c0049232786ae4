package io.sagaspring.run;

import io.sagaspring.due.ReservedSlot;
import io.sagaspring.fence.BoundResources;
import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes a run like a method:
 *
 * <ol>
 *   <li>Starts the run. If the run is new and can begin at once, and a slot is free, the calling thread executes the
 *       code, with the same lease, journal and listeners as a thread of the pool.
 *   <li>If the run has not ended then, waits for its end. Any thread or node can continue the run.
 *   <li>Returns the stored result.
 * </ol>
 */
final class DirectExecution {

    /** The longest wait. A longer time-out would exceed the range of the clock. */
    static final Duration LONGEST = Duration.ofDays(36_500);

    private final RunEnds ends;
    private final RunStarter starter;
    private final RunExecutor runExecutor;
    private final RunNotifier notifier;
    private final BooleanSupplier closing;

    /**
     * Creates an executor of runs on the threads of their callers.
     *
     * @param closing the check that returns true if this node is shutting down
     */
    DirectExecution(
            RunEnds ends, RunStarter starter, RunExecutor runExecutor, RunNotifier notifier, BooleanSupplier closing) {
        this.ends = ends;
        this.starter = starter;
        this.runExecutor = runExecutor;
        this.notifier = notifier;
        this.closing = closing;
    }

    /** Executes a run, and returns its result. */
    @Nullable
    Object execute(RunCatalog.Code code, @Nullable Object input, RunOptions options, Duration timeout)
            throws InterruptedException {
        if (timeout.isNegative()) {
            throw new IllegalArgumentException(
                    "The time-out (%s) must not be negative. Pass Duration.ZERO if the call must not wait, or call execute without a time-out."
                            .formatted(DurationText.of(timeout)));
        }
        RunMessages.requireNoTransaction("Executing a run");
        runExecutor.requireNotExecuting(code);
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "The thread was interrupted, so no run of '%s' was started".formatted(code.name()));
        }
        Call call = new Call(timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST);
        RunId id = BoundResources.areManaged()
                ? starter.start(code, input, options).id()
                : starter.start(code, input, options, call).id();
        return ends.result(call.end == null ? call.await(id) : call.end, code.output());
    }

    /** One call of {@link #execute}. */
    private final class Call implements RunStarter.Begin {

        private final long begun = System.nanoTime();
        private final Duration timeout;
        private final CallersThread thread = CallersThread.current();
        private @Nullable RunEnd end;

        Call(Duration timeout) {
            this.timeout = timeout;
        }

        @Override
        public void begin(ReservedSlot<PickedUpRun> slot, PickedUpRun pickedUp) {
            try (Waiters.Registration registration =
                    notifier.register(pickedUp.runLease().id())) {
                BoundResources.without(() -> slot.workHere(pickedUp, hold -> runExecutor.work(pickedUp, hold, thread)));
                end = registration.end();
            }
            if (end != null && thread.isInterrupted()) {
                // Restore the interrupt, because the code after this call must see it.
                Thread.currentThread().interrupt();
            }
        }

        /** Waits for the end of a run that this thread has not ended. */
        RunEnd await(RunId id) throws InterruptedException {
            if (thread.isInterrupted()) {
                boolean unused = Thread.interrupted();
                throw new InterruptedException(
                        "The thread was interrupted while it executed run %s. The run continues".formatted(id));
            }
            requireNotClosing(id);
            Duration remaining = notifier.beforeWait(id, timeout.minusNanos(System.nanoTime() - begun));
            RunEnd awaited = awaited(id, remaining);
            return awaited == null ? endIn(row(id)) : awaited;
        }

        private @Nullable RunEnd awaited(RunId id, Duration remaining) throws InterruptedException {
            try {
                return notifier.await(id, remaining, () -> RunEnd.of(row(id)));
            } catch (InterruptedException interrupted) {
                InterruptedException named = new InterruptedException(
                        "The thread was interrupted while it waited for run %s. The run continues".formatted(id));
                named.initCause(interrupted);
                throw named;
            }
        }

        /**
         * Returns the end of a run that may have ended at the last moment. Throws an exception if the run has not
         * ended.
         */
        private RunEnd endIn(RunRow row) {
            RunEnd atLast = RunEnd.of(row);
            if (atLast == null) {
                throw RunNotCompletedException.after(timeout, row);
            }
            return atLast;
        }

        private RunRow row(RunId id) {
            RunRow row = ends.row(id);
            if (!row.state().isEnd()) {
                requireNotClosing(id);
            }
            return row;
        }

        /** Throws an exception if this node is shutting down, so that a waiting caller does not delay the shutdown. */
        private void requireNotClosing(RunId id) {
            if (closing.getAsBoolean()) {
                throw RunNotCompletedException.closing(id);
            }
        }
    }
}
