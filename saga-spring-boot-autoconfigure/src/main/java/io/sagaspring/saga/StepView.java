package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one step of an execution, for display.
 *
 * @param name the step's name
 * @param state the state
 * @param attempt the number of the latest known attempt, 0 before the first
 * @param error the error of the latest attempt, or of the latest attempt to compensate the step
 * @param trace the application's frames in the exception of the error, followed by each cause with its frames, as
 *     lines of text; empty if there was no exception
 * @param startedAt the time from which it was the step's turn, which is the time of the preceding journal entry
 * @param waitingSince the time at which the step began to wait for a callback or a signal
 * @param deadline the time at which that wait times out
 * @param heartbeatAt the time at which the system that must call back last sent a heartbeat
 * @param nextAttemptAt the time of the next attempt
 * @param endedAt the time at which the step completed, failed or was cancelled
 * @param compensatedAt the time at which the step was compensated
 * @param emptyRollback true if the step was compensated although it was unknown whether the step took effect
 * @param run the run that executes a fire-and-forget step, for {@link io.sagaspring.run.Runs}; null for other steps
 * @since 0.1.0
 */
public record StepView(
        String name,
        StepState state,
        int attempt,
        @Nullable StepError error,
        List<String> trace,
        @Nullable Instant startedAt,
        @Nullable Instant waitingSince,
        @Nullable Instant deadline,
        @Nullable Instant heartbeatAt,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant endedAt,
        @Nullable Instant compensatedAt,
        boolean emptyRollback,
        @Nullable RunId run) {

    StepView with(RunId run) {
        return new StepView(
                name,
                state,
                attempt,
                error,
                trace,
                startedAt,
                waitingSince,
                deadline,
                heartbeatAt,
                nextAttemptAt,
                endedAt,
                compensatedAt,
                emptyRollback,
                run);
    }

    /**
     * Returns the view of a fire-and-forget step whose run has ended and been deleted. Only the run's id is still
     * known. The step is shown as completed, even if the run failed.
     */
    static StepView purged(String name, RunId run) {
        return new StepView(
                name, StepState.COMPLETED, 0, null, List.of(), null, null, null, null, null, null, null, false, run);
    }
}
