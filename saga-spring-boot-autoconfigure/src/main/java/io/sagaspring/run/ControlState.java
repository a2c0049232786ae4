package io.sagaspring.run;

import org.jspecify.annotations.Nullable;

/**
 * What somebody has told a run, as its row had it.
 *
 * @param signals how often
 * @param cancelReason why it is to be cancelled, or null
 * @param late whether its deadline has passed
 * @since 0.1.0
 */
public record ControlState(int signals, @Nullable String cancelReason, boolean late) {

    static final ControlState OF_A_NEW_RUN = new ControlState(0, null, false);

    boolean isToStop() {
        return cancelReason != null || late;
    }
}
