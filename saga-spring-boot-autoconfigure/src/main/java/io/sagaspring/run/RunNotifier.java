package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells who waits, and who listens, what becomes of runs on this node. Whatever one of them throws decides nothing. */
final class RunNotifier {

    private static final Logger logger = LoggerFactory.getLogger(RunNotifier.class);

    private final Waiters waiters;
    private final Supplier<List<RunListener>> listeners;

    RunNotifier(Waiters waiters, Supplier<List<RunListener>> listeners) {
        this.waiters = waiters;
        this.listeners = listeners;
    }

    /** Waits for the end of a run, as {@link Waiters} do. */
    @Nullable
    RunEnd await(RunId id, Duration patience, Supplier<@Nullable RunEnd> look) throws InterruptedException {
        return waiters.await(id, patience, look);
    }

    void runLease(PickedUpRun taken, RunEvent event) {
        waiters.executedHere(taken.runLease().id());
        tell(taken, event);
    }

    void left(PickedUpRun taken, RunEvent event) {
        tell(taken, event);
        waiters.left(taken.runLease().id(), null);
    }

    void ended(PickedUpRun taken, Ending ending, @Nullable String cancelReason, @Nullable Throwable failure) {
        tell(new RunNotice(
                taken.run(),
                taken.runLease().id(),
                event(ending.state()),
                Instant.now(),
                ending.error(),
                failure,
                ending.state() == RunState.CANCELLED ? cancelReason : null));
        waiters.left(taken.runLease().id(), RunEnd.of(taken, ending, cancelReason));
    }

    void givenUp(String run, RunId id, String reason) {
        tell(new RunNotice(run, id, RunEvent.CANCELLED, Instant.now(), null, null, reason));
    }

    private static RunEvent event(RunState left) {
        return switch (left) {
            case COMPLETED -> RunEvent.COMPLETED;
            case CANCELLED -> RunEvent.CANCELLED;
            case FAILED -> RunEvent.FAILED;
            case BLOCKED -> RunEvent.BLOCKED;
            case IN_DOUBT -> RunEvent.IN_DOUBT;
            case COMPENSATION_FAILED -> RunEvent.COMPENSATION_FAILED;
            default -> RunEvent.LEFT;
        };
    }

    private void tell(PickedUpRun taken, RunEvent event) {
        tell(taken.run(), taken.runLease().id(), event);
    }

    void tell(String run, RunId id, RunEvent event) {
        tell(new RunNotice(run, id, event, Instant.now(), null, null, null));
    }

    private void tell(RunNotice notice) {
        for (RunListener listener : listeners.get()) {
            try {
                listener.happened(notice);
            } catch (Throwable failed) {
                logger.warn("A listener failed on '{}' of run {}", notice.event(), notice.id(), failed);
            }
        }
    }
}
