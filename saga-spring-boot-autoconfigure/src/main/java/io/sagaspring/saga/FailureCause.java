package io.sagaspring.saga;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The first cause of an execution's failure. It stays the same whatever the outcome of the compensations.
 *
 * @param step the step that failed, or null if the execution's own timeout passed or the failure was in no step
 * @param error the error of the step's last attempt
 * @param trace the application's frames in the exception, and each of its causes with its own, as lines of text; empty
 *     if there was no exception, as when a callback failed the step
 * @param at the time at which the failure was journaled
 * @since 0.1.0
 */
public record FailureCause(
        @Nullable String step,
        StepError error,
        List<String> trace,
        @Nullable Instant at) {}
