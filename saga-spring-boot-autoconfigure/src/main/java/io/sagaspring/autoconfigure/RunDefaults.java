package io.sagaspring.autoconfigure;

import io.sagaspring.run.Retry;
import io.sagaspring.run.StepDefaults;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for the steps of runs and sagas that set no policy of their own.
 *
 * @param retry The default retry policy.
 * @param timeout Longest time that an attempt of a step may take. If not set, there is no limit.
 */
@ConfigurationProperties("saga.runs.defaults")
record RunDefaults(
        @DefaultValue RetryProperties retry, @Nullable Duration timeout) {

    /**
     * The default retry policy.
     *
     * @param maxAttempts How often a failing step is attempted. 1 means that it is not retried.
     * @param delay Pause before the second attempt.
     * @param multiplier Factor by which each pause is longer than the previous one.
     * @param maxDelay Longest pause between two attempts.
     * @param jitter Whether each pause is shortened at random, by up to half.
     */
    record RetryProperties(
            @DefaultValue("1") int maxAttempts,
            @DefaultValue("1s") Duration delay,
            @DefaultValue("1") double multiplier,
            @DefaultValue("1m") Duration maxDelay,
            @DefaultValue("false") boolean jitter) {

        private static final String PREFIX = "saga.runs.defaults.retry.";

        private void check(UnaryOperator<String> origin, Runnable more) {
            Limits.checkAll(
                    origin,
                    () -> Limits.atLeast(PREFIX + "max-attempts", maxAttempts, 1),
                    () -> Limits.atLeast(PREFIX + "delay", delay, Duration.ZERO),
                    () -> Limits.atLeast(PREFIX + "multiplier", multiplier, 1),
                    () -> Limits.atLeast(PREFIX + "max-delay", maxDelay, Duration.ZERO),
                    more);
        }

        private @Nullable Retry policy() {
            if (maxAttempts == 1) {
                return null;
            }
            Retry policy = Retry.retry()
                    .max(maxAttempts)
                    .delay(delay)
                    .multiplier(multiplier)
                    .maxDelay(maxDelay);
            return jitter ? policy.jitter() : policy;
        }
    }

    /**
     * Returns the checked defaults.
     *
     * @param origin the function that describes the place of a property; returns an empty text if it is unknown
     */
    StepDefaults steps(UnaryOperator<String> origin) {
        Duration limit = timeout;
        retry.check(origin, () -> {
            if (limit != null) {
                Duration unused = Limits.atLeast("saga.runs.defaults.timeout", limit, Duration.ofMillis(1));
            }
        });
        Retry policy = retry.policy();
        StepDefaults defaults = policy == null ? StepDefaults.none() : StepDefaults.retry(policy);
        return limit == null ? defaults : defaults.timeout(limit);
    }
}
