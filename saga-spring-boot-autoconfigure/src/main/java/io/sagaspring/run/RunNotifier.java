package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies waiting callers and listeners of changes of runs on this node. If a listener throws an exception, it is only
 * logged.
 */
final class RunNotifier {

    private static final Logger logger = LoggerFactory.getLogger(RunNotifier.class);

    private final Waiters waiters;
    private final Supplier<List<RunListener>> listeners;

    RunNotifier(Waiters waiters, Supplier<List<RunListener>> listeners) {
        this.waiters = waiters;
        this.listeners = listeners;
    }

    /** Waits for the end of a run, see {@link Waiters}. */
    @Nullable
    RunEnd await(RunId id, Duration timeout, Supplier<@Nullable RunEnd> read) throws InterruptedException {
        return waiters.await(id, timeout, read);
    }

    void executing(PickedUpRun pickedUp, RunEvent event) {
        waiters.executedHere(pickedUp.runLease().id());
        notifyListeners(pickedUp, event);
    }

    void released(PickedUpRun pickedUp, RunEvent event) {
        notifyListeners(pickedUp, event);
        waiters.notExecutedHere(pickedUp.runLease().id(), null);
    }

    void ended(PickedUpRun pickedUp, Ending ending, @Nullable String cancelReason, @Nullable Throwable failure) {
        notifyListeners(new RunNotice(
                pickedUp.run(),
                pickedUp.runLease().id(),
                event(ending.state()),
                Instant.now(),
                ending.error(),
                failure,
                ending.state() == RunState.CANCELLED ? cancelReason : null));
        waiters.notExecutedHere(pickedUp.runLease().id(), RunEnd.of(pickedUp, ending, cancelReason));
    }

    void givenUp(String run, RunId id, String reason) {
        notifyListeners(new RunNotice(run, id, RunEvent.CANCELLED, Instant.now(), null, null, reason));
    }

    private static RunEvent event(RunState state) {
        return switch (state) {
            case COMPLETED -> RunEvent.COMPLETED;
            case CANCELLED -> RunEvent.CANCELLED;
            case FAILED -> RunEvent.FAILED;
            case BLOCKED -> RunEvent.BLOCKED;
            case IN_DOUBT -> RunEvent.IN_DOUBT;
            case COMPENSATION_FAILED -> RunEvent.COMPENSATION_FAILED;
            default -> RunEvent.LEFT;
        };
    }

    private void notifyListeners(PickedUpRun pickedUp, RunEvent event) {
        notifyListeners(pickedUp.run(), pickedUp.runLease().id(), event);
    }

    void notifyListeners(String run, RunId id, RunEvent event) {
        notifyListeners(new RunNotice(run, id, event, Instant.now(), null, null, null));
    }

    private void notifyListeners(RunNotice notice) {
        for (RunListener listener : listeners.get()) {
            try {
                listener.happened(notice);
            } catch (Throwable failed) {
                logger.warn("A listener failed on '{}' of run {}", notice.event(), notice.id(), failed);
            }
        }
    }
}
