package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a run has no result because it failed or was cancelled. {@link Runs#execute} also throws it if it stops waiting: the time-out
 * has passed, or the node shuts down. Such a run continues.
 *
 * @since 0.1.0
 */
public final class RunNotCompletedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient RunId runId;
    private final RunState state;

    RunNotCompletedException(RunEnd end) {
        this(
                "Run %s of '%s' ended as %s%s"
                        .formatted(end.id(), end.run(), end.state().text(), because(end)),
                end.id(),
                end.state());
    }

    private RunNotCompletedException(String message, RunId runId, RunState state) {
        super(message);
        this.runId = runId;
        this.state = state;
    }

    static RunNotCompletedException after(Duration timeout, RunRow row) {
        return new RunNotCompletedException(
                "Run %s of '%s' has not ended after %s: it is %s. The run is not affected by the end of this wait. To wait again, use Runs.handle."
                        .formatted(
                                row.id(),
                                row.run(),
                                DurationText.of(timeout),
                                row.state().text()),
                row.id(),
                row.state());
    }

    static RunNotCompletedException closing(RunId id) {
        return new RunNotCompletedException(
                "This node is shutting down and no longer waits for run %s. Another node continues the run."
                        .formatted(id),
                id,
                RunState.PENDING);
    }

    private static String because(RunEnd end) {
        String why = end.state() == RunState.CANCELLED ? end.cancelReason() : end.error();
        return why == null ? "." : ": " + firstLine(why);
    }

    private static @Nullable String firstLine(String text) {
        return text.lines().findFirst().orElse(null);
    }

    /**
     * Returns the id of the run.
     *
     * @return the run's id
     */
    public RunId runId() {
        return runId;
    }

    /**
     * Returns the state of the run.
     *
     * @return {@link RunState#FAILED} or {@link RunState#CANCELLED}; another state if the run has not ended
     */
    public RunState state() {
        return state;
    }
}
