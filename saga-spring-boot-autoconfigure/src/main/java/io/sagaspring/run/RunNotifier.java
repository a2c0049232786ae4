package io.sagaspring.run;

import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.tenant.TenantUnavailableException;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies waiting callers and listeners of changes of runs on this node. If a listener throws an exception, the
 * exception is only logged.
 */
final class RunNotifier {

    private static final Logger logger = LoggerFactory.getLogger(RunNotifier.class);

    private final Waiters waiters;
    private final Supplier<List<RunListener>> listeners;
    private final Tenants tenants;
    private final CallersWait callersWait;

    RunNotifier(Waiters waiters, Supplier<List<RunListener>> listeners, Tenants tenants, CallersWait callersWait) {
        this.waiters = waiters;
        this.listeners = listeners;
        this.tenants = tenants;
        this.callersWait = callersWait;
    }

    /** Lets a test execute the run before a caller waits. Returns the time for which the caller then waits. */
    Duration beforeWait(RunId id, Duration timeout) {
        return callersWait.pass(id, timeout);
    }

    /** Waits for the end of a run, see {@link Waiters}. */
    @Nullable
    RunEnd await(RunId id, Duration timeout, Supplier<@Nullable RunEnd> read) throws InterruptedException {
        return waiters.await(id, timeout, read);
    }

    /** Registers a caller that is about to execute the run, see {@link Waiters#register}. */
    Waiters.Registration register(RunId id) {
        return waiters.register(id);
    }

    void executing(PickedUpRun pickedUp, RunEvent event) {
        executing(pickedUp);
        notifyListeners(pickedUp, event);
    }

    /** Records that this node executes the run. The thread that executes it notifies the listeners later. */
    void executing(PickedUpRun pickedUp) {
        waiters.executedHere(pickedUp.runLease().id());
    }

    void released(PickedUpRun pickedUp, RunEvent event) {
        notifyListeners(pickedUp, event);
        waiters.notExecutedHere(pickedUp.runLease().id(), null);
    }

    void suspended(PickedUpRun pickedUp, Exit.Suspended exit) {
        notifyListeners(pickedUp.tenant(), notice(pickedUp, exit.event(), exit.cause()));
        waiters.notExecutedHere(pickedUp.runLease().id(), null);
    }

    /** Notifies listeners that an attempt failed and that the next attempt follows without a pause. */
    void retrying(PickedUpRun pickedUp, Throwable failure) {
        notifyListeners(pickedUp.tenant(), notice(pickedUp, RunEvent.RETRYING, failure));
    }

    void ended(PickedUpRun pickedUp, Exit.Ended exit, @Nullable String cancelReason) {
        Ending ending = exit.ending();
        notifyListeners(
                pickedUp.tenant(),
                new RunNotice(
                        pickedUp.run(),
                        pickedUp.runLease().id(),
                        event(ending.state()),
                        Instant.now(),
                        ending.error(),
                        exit.failure(),
                        ending.state() == RunState.CANCELLED ? cancelReason : null));
        waiters.notExecutedHere(pickedUp.runLease().id(), RunEnd.of(pickedUp, exit, cancelReason));
    }

    void started(NewRun run) {
        notifyListeners(run.tenant(), notice(run.run(), run.id(), RunEvent.STARTED));
    }

    void replaced(NewRun by, RunId replaced) {
        notifyListeners(by.tenant(), notice(by.run(), replaced, RunEvent.REPLACED));
    }

    /** Notifies listeners that a run has ended in its queue, because it was cancelled before it began. */
    void cancelled(QueueStore.Cancelled run) {
        notifyListeners(
                run.tenant(),
                new RunNotice(run.run(), run.id(), RunEvent.CANCELLED, Instant.now(), null, null, run.reason()));
    }

    void givenUp(RunRow run, String reason) {
        notifyListeners(
                run.tenant(),
                new RunNotice(run.run(), run.id(), RunEvent.CANCELLED, Instant.now(), null, null, reason));
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

    void notifyListeners(PickedUpRun pickedUp, RunEvent event) {
        notifyListeners(
                pickedUp.tenant(), notice(pickedUp.run(), pickedUp.runLease().id(), event));
    }

    private static RunNotice notice(PickedUpRun pickedUp, RunEvent event, @Nullable Throwable failure) {
        return new RunNotice(pickedUp.run(), pickedUp.runLease().id(), event, Instant.now(), null, failure, null);
    }

    private static RunNotice notice(String run, RunId id, RunEvent event) {
        return new RunNotice(run, id, event, Instant.now(), null, null, null);
    }

    /**
     * Notifies the listeners in the tenant of the run. A listener that needs no tenant is notified even if the tenant
     * cannot be restored.
     */
    private void notifyListeners(@Nullable String tenant, RunNotice notice) {
        List<RunListener> inTenant = new ArrayList<>();
        for (RunListener listener : listeners.get()) {
            if (listener.needsTenant()) {
                inTenant.add(listener);
            } else {
                notify(listener, notice);
            }
        }
        if (inTenant.isEmpty()) {
            return;
        }
        try {
            tenants.run(tenant, () -> inTenant.forEach(each -> notify(each, notice)));
        } catch (TenantUnavailableException unavailable) {
            // Log this only for debugging. The run is blocked for the same reason, and its blocking is logged as an
            // error.
            logger.debug(
                    "Listeners were not notified of event '{}' of run {}", notice.event(), notice.id(), unavailable);
        }
    }

    private static void notify(RunListener listener, RunNotice notice) {
        try {
            listener.happened(notice);
        } catch (Throwable failed) {
            logger.warn("A listener failed on event '{}' of run {}", notice.event(), notice.id(), failed);
        }
    }
}
