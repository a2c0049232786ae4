package io.sagaspring.saga;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One step of an execution, as people see it.
 *
 * @param name its name
 * @param state where it stands
 * @param attempt the latest attempt that is known of, 0 before the first
 * @param error why the latest attempt failed, or why it could not be undone
 * @param startedAt when its turn came: when what is before it was journaled
 * @param waitingSince since when it waits for a callback or a signal
 * @param deadline until when it waits for that
 * @param heartbeatAt when whoever is to call back was last heard of
 * @param nextAttemptAt when it is tried again
 * @param endedAt when it was over, failed or was cancelled
 * @param compensatedAt when it was undone
 * @param emptyRollback whether it was undone although nobody knew if it had taken effect
 */
public record StepView(
        String name,
        StepState state,
        int attempt,
        @Nullable StepError error,
        @Nullable Instant startedAt,
        @Nullable Instant waitingSince,
        @Nullable Instant deadline,
        @Nullable Instant heartbeatAt,
        @Nullable Instant nextAttemptAt,
        @Nullable Instant endedAt,
        @Nullable Instant compensatedAt,
        boolean emptyRollback) {}
