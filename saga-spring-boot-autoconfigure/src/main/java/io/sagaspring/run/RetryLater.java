package io.sagaspring.run;

import java.time.Duration;

/**
 * An exception that says when its step is to be attempted again, such as one that carries a {@code Retry-After}. The delay counts instead
 * of the pause of the retry policy, which still decides whether the step is attempted again. The longest pause of the policy does not
 * shorten it.
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
