package io.sagaspring.run;

import java.time.Duration;

/**
 * An exception that determines when its step is attempted again, for example because it carries a {@code Retry-After}.
 * {@link #retryAfter()} replaces the pause of the retry policy, even if it is longer than the policy's longest pause.
 * The policy still decides whether the step is attempted again.
 *
 * @since 0.1.0
 */
public interface RetryLater {

    /**
     * Returns the pause before the next attempt.
     *
     * @return the pause; a negative one counts as zero
     */
    Duration retryAfter();
}
