package io.sagaspring.run;

import io.sagaspring.fence.LogText;
import org.jspecify.annotations.Nullable;

/**
 * The run is to stop: it was cancelled, or its deadline has passed. Thrown once, at the first thing that it asks for and
 * was not told before. Who catches it may still do what is to be done; then the run is over.
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
     * Why it is to stop.
     *
     * @return whether somebody has cancelled it, and not its time is over
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Returns why the run was cancelled.
     *
     * @return the reason, or null if its deadline has passed
     */
    public @Nullable String reason() {
        return reason;
    }

    /**
     * Whether the step that was asked for may have begun before, on a node that died in it or had to leave it.
     *
     * @return false where its body was certainly never called
     */
    public boolean mayHaveBegun() {
        return mayHaveBegun;
    }
}
