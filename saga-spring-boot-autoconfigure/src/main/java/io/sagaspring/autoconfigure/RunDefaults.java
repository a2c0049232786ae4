package io.sagaspring.autoconfigure;

import io.sagaspring.run.Retry;
import io.sagaspring.run.StepDefaults;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

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

        private @Nullable Retry policy() {
            int attempts = Limits.atLeast(PREFIX + "max-attempts", maxAttempts, 1);
            Retry policy = Retry.retry()
                    .max(attempts)
                    .delay(Limits.atLeast(PREFIX + "delay", delay, Duration.ZERO))
                    .multiplier(checkedMultiplier())
                    .maxDelay(Limits.atLeast(PREFIX + "max-delay", maxDelay, Duration.ZERO));
            if (attempts == 1) {
                return null;
            }
            return jitter ? policy.jitter() : policy;
        }

        private double checkedMultiplier() {
            if (!(multiplier >= 1)) {
                throw new InvalidConfigurationPropertyValueException(
                        PREFIX + "multiplier", multiplier, "It must be at least 1.");
            }
            return multiplier;
        }
    }

    StepDefaults steps() {
        Retry policy = retry.policy();
        StepDefaults defaults = policy == null ? StepDefaults.none() : StepDefaults.retry(policy);
        return timeout == null
                ? defaults
                : defaults.timeout(Limits.atLeast("saga.runs.defaults.timeout", timeout, Duration.ofMillis(1)));
    }
}
