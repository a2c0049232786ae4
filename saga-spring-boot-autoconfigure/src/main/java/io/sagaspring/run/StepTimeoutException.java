package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.LogText;
import java.time.Duration;

/**
 * The code of a step did not return within its time-out. The code was interrupted, and a result that it returned later was discarded. The
 * step may have taken effect nevertheless.
 *
 * @since 0.1.0
 */
public final class StepTimeoutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    StepTimeoutException(String step, Duration timeout, Throwable late) {
        super(
                "The code of step '%s' did not return within its time-out of %s. It was interrupted, and may have taken effect."
                        .formatted(LogText.of(step), DurationText.of(timeout)),
                late);
    }
}
