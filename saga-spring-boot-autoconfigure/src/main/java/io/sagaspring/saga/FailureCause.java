package io.sagaspring.saga;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first cause of an execution's failure. It stays the same, however the compensations end.
 *
 * @param step the step that failed, or null if the execution's own timeout passed or the failure occurred outside
 *     the steps
 * @param error the error of the step's last attempt, or of the execution if no step failed
 * @param trace the application's frames in the exception, followed by each cause with its frames, as lines of text;
 *     empty if there was no exception, for example when a callback failed the step
 * @param at the time at which the failure was journaled
 * @since 0.1.0
 */
public record FailureCause(
        @Nullable String step,
        StepError error,
        List<String> trace,
        @Nullable Instant at) {}
