package io.sagaspring.saga;

import io.sagaspring.run.RunId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step of an execution, as people see it.
 *
 * @param name its name
 * @param state where it stands
 * @param attempt the latest attempt that is known of, 0 before the first
 * @param error why the latest attempt failed, or why it could not be undone
 * @param trace the application's frames in the exception that the error is of, and each of its causes with its own, as lines of
 *     text; empty where there was no exception
 * @param startedAt when its turn came: when what is before it was journaled
 * @param waitingSince since when it waits for a callback or a signal
 * @param deadline until when it waits for that
 * @param heartbeatAt when whoever is to call back was last heard of
 * @param nextAttemptAt when it is tried again
 * @param endedAt when it was over, failed or was cancelled
 * @param compensatedAt when it was undone
 * @param emptyRollback whether it was undone although nobody knew if it had taken effect
 * @param run the run that executes it if it is fired and forgotten, for {@link io.sagaspring.run.Runs}; else null
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

    /** That a run was started for it is known, and the run is over and purged. */
    static StepView purged(String name, RunId run) {
        return new StepView(
                name, StepState.COMPLETED, 0, null, List.of(), null, null, null, null, null, null, null, false, run);
    }
}
