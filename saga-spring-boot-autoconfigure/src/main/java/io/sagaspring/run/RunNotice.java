package io.sagaspring.run;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A change of a run, as listeners receive it.
 *
 * @param run the name of the run's code
 * @param id the run's id
 * @param event the kind of change
 * @param at the time at which the run changed, by this node's clock
 * @param error the error that is stored with the run, or null
 * @param failure the exception that ended the run on this node or made an attempt of a step fail, or null
 * @param cancelReason the reason for the cancellation of the run, or null
 * @since 0.1.0
 */
public record RunNotice(
        String run,
        RunId id,
        RunEvent event,
        Instant at,
        @Nullable String error,
        @Nullable Throwable failure,
        @Nullable String cancelReason) {}
