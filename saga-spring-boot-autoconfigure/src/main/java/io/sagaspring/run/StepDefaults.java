package io.sagaspring.run;

import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryPolicy;

/**
 * The retry policy and the time-out for steps that set none of their own. A step's own policy replaces the default
 * policy as a whole. A step that must not be repeated gets no default policy.
 *
 * @since 0.1.0
 */
public final class StepDefaults {

    private static final StepDefaults NONE = new StepDefaults(null, null);

    private final @Nullable Retry retry;
    private final @Nullable Duration timeout;

    private StepDefaults(@Nullable Retry retry, @Nullable Duration timeout) {
        this.retry = retry;
        this.timeout = timeout;
    }

    /**
     * Returns defaults that set nothing.
     *
     * @return the defaults, to be refined by {@link #timeout(Duration)}
     */
    public static StepDefaults none() {
        return NONE;
    }

    /**
     * Returns defaults with a retry policy.
     *
     * @param policy the policy
     * @return the defaults
     */
    public static StepDefaults retry(Retry policy) {
        return new StepDefaults(policy, null);
    }

    /**
     * Returns defaults with a retry policy of Spring.
     *
     * @param policy the policy, see {@link Retry#of}
     * @return the defaults
     */
    public static StepDefaults retry(RetryPolicy policy) {
        return retry(Retry.of(policy));
    }

    /**
     * Returns these defaults with a time-out.
     *
     * @param longest the longest time that an attempt may take
     * @return the changed defaults
     */
    public StepDefaults timeout(Duration longest) {
        return new StepDefaults(retry, longest);
    }

    /**
     * Returns the policy.
     *
     * @return the policy, or null if these defaults set none
     */
    public @Nullable Retry retry() {
        return retry;
    }

    /**
     * Returns the time-out.
     *
     * @return the longest time that an attempt may take, or null for no limit
     */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Returns these defaults. A value that these defaults do not set is taken from the others. */
    StepDefaults or(StepDefaults others) {
        return new StepDefaults(retry == null ? others.retry : retry, timeout == null ? others.timeout : timeout);
    }

    Step appliedTo(Step step) {
        Step complete = step;
        if (retry != null && complete.retry() == null && complete.repeatable()) {
            complete = complete.retry(retry);
        }
        return timeout != null && complete.timeout() == null ? complete.timeout(timeout) : complete;
    }

    Stream<String> faults() {
        return Stream.concat(
                retry == null ? Stream.empty() : retry.faults().map("has a default retry policy that "::concat),
                timeout == null || (!timeout.isNegative() && !timeout.isZero())
                        ? Stream.empty()
                        : Stream.of("has a default time-out that is not positive"));
    }
}
