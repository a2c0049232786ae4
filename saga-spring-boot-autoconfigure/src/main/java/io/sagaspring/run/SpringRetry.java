package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.util.backoff.BackOffExecution;

/**
 * A retry policy of Spring. After each failure, its back-off is started again and advanced to the current attempt,
 * because the state of a back-off cannot be stored between two attempts.
 */
final class SpringRetry {

    private final RetryPolicy policy;

    SpringRetry(RetryPolicy policy) {
        Duration timeout = policy.getTimeout();
        if (!timeout.isZero()) {
            throw new IllegalArgumentException(
                    "The RetryPolicy has a timeout of %s, which bounds all attempts together. Remove it, and use Step.timeout for each attempt or a deadline for the run."
                            .formatted(DurationText.of(timeout)));
        }
        this.policy = policy;
    }

    boolean covers(Throwable failure) {
        return policy.shouldRetry(failure);
    }

    /** Returns the pause after an attempt, or null if the policy allows no further attempt. */
    @Nullable
    Duration pauseAfter(int attempt) {
        BackOffExecution backOff = policy.getBackOff().start();
        long pause = 0;
        for (int each = 0; each < attempt && pause != BackOffExecution.STOP; each++) {
            pause = backOff.nextBackOff();
        }
        return pause == BackOffExecution.STOP ? null : Duration.ofMillis(Math.max(0, pause));
    }
}
