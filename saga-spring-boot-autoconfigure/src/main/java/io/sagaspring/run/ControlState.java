package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * The stored state of a run that can change while a node executes the run: signals, cancellation and deadline.
 *
 * @param signals the number of signals, replies and cancellations that were sent to the run
 * @param cancelReason the reason for the cancellation, or null
 * @param late true if the run's deadline has passed
 * @since 0.1.0
 */
public record ControlState(int signals, @Nullable String cancelReason, boolean late) {

    static final ControlState OF_A_NEW_RUN = new ControlState(0, null, false);

    boolean isToStop() {
        return cancelReason != null || late;
    }
}
