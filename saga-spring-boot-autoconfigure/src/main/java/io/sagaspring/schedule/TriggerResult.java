package io.sagaspring.schedule;

import io.sagaspring.run.RunId;
import org.jspecify.annotations.Nullable;

/**
 * The result of a trigger.
 *
 * @param run the run that was started, or null if none was
 * @param waits true if the firing waits until another run has ended
 * @param because the reason why no run was started, or null if one was
 * @since 0.1.0
 */
public record TriggerResult(
        @Nullable RunId run, boolean waits, @Nullable String because) {}
