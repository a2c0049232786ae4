package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Stops a run that was cancelled, or whose deadline has passed. The context throws this exception once, from the first
 * call that is not replayed. Code that catches the exception can still clean up before the run ends.
 *
 * @since 0.1.0
 */
public final class RunStoppedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean cancelled;
    private final boolean mayHaveBegun;

    private final @Nullable String reason;

    RunStoppedException(boolean cancelled, boolean mayHaveBegun, @Nullable String reason) {
        super(cancelled ? "The run was cancelled: %s".formatted(LogText.of(reason)) : "The run's deadline has passed.");
        this.cancelled = cancelled;
        this.reason = reason;
        this.mayHaveBegun = mayHaveBegun;
    }

    /**
     * Returns true if the run was cancelled.
     *
     * @return true if the run was cancelled, false if its deadline has passed
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Returns the reason for the cancellation.
     *
     * @return the reason, or null if the deadline has passed
     */
    public @Nullable String reason() {
        return reason;
    }

    /**
     * Returns true if the step at which the run is stopped may already have begun: a previous node died in the step or
     * had to abort it.
     *
     * @return false only if the step's code was certainly never called
     */
    public boolean mayHaveBegun() {
        return mayHaveBegun;
    }
}
