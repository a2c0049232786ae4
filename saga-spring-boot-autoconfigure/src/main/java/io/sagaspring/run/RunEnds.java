package io.sagaspring.run;

import java.lang.reflect.Type;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Waits for the ends of runs that the caller may see, and reads their results. */
final class RunEnds {

    private final VisibleRuns visible;
    private final Payloads payloads;
    private final RunExecutor runExecutor;
    private final RunNotifier notifier;

    RunEnds(VisibleRuns visible, Payloads payloads, RunExecutor runExecutor, RunNotifier notifier) {
        this.visible = visible;
        this.payloads = payloads;
        this.runExecutor = runExecutor;
        this.notifier = notifier;
    }

    /** Waits for the end of a run. Returns null if the run has not ended in time. */
    @Nullable
    RunEnd await(RunId id, Duration timeout) throws InterruptedException {
        boolean waits = timeout.compareTo(Duration.ZERO) > 0;
        if (waits) {
            runExecutor.requireNotExecuting(id);
        }
        visible.require(id);
        Duration remaining = waits ? notifier.beforeWait(id, timeout) : timeout;
        return notifier.await(id, remaining, () -> RunEnd.of(row(id)));
    }

    /** Returns a run. */
    RunRow row(RunId id) {
        return visible.findRow(id).orElseThrow(() -> new NoSuchRunException(id));
    }

    /** Reads the stored result of a completed run as the given type. For any other run, throws an exception. */
    @Nullable
    Object result(RunEnd end, Type type) {
        if (end.state() != RunState.COMPLETED) {
            throw new RunNotCompletedException(end);
        }
        return payloads.read(end.result(), type);
    }
}
