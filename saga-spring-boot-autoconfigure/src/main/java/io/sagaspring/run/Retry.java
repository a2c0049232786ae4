package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A policy for attempting a failed step or compensation again:
 * {@code retry().max(5).exponential(ofSeconds(1)).jitter()}. The default is three attempts, one second apart. Pauses
 * are durable: they continue after a node has died.
 *
 * @since 0.1.0
 */
public final class Retry {

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int LARGEST_SHIFT = 40;

    /** A hundred years, so that no number of nanoseconds overflows. */
    private static final Duration LONGEST_POSSIBLE = Duration.ofDays(36_500);

    private final int max;
    private final Duration first;
    private final Duration longest;
    private final boolean doubled;
    private final boolean jittered;
    private final List<Class<? extends Throwable>> only;
    private final List<Class<? extends Throwable>> never;

    private Retry(
            int max,
            Duration first,
            Duration longest,
            boolean doubled,
            boolean jittered,
            List<Class<? extends Throwable>> only,
            List<Class<? extends Throwable>> never) {
        this.max = max;
        this.first = first;
        this.longest = longest;
        this.doubled = doubled;
        this.jittered = jittered;
        this.only = List.copyOf(only);
        this.never = List.copyOf(never);
    }

    /**
     * Returns the default policy: three attempts, one second apart.
     *
     * @return the policy; use the other methods to refine it
     */
    public static Retry retry() {
        return new Retry(3, Duration.ofSeconds(1), LONGEST, false, false, List.of(), List.of());
    }

    /**
     * Returns the policy of a step without one: a single attempt.
     *
     * @return the policy
     */
    public static Retry never() {
        return retry().max(1);
    }

    /**
     * Returns a policy with a different number of attempts.
     *
     * @param attempts the number of attempts, including the first
     * @return the changed policy
     */
    public Retry max(int attempts) {
        return new Retry(attempts, first, longest, doubled, jittered, only, never);
    }

    /**
     * Returns a policy with the same pause before each further attempt.
     *
     * @param pause the pause
     * @return the changed policy
     */
    public Retry delay(Duration pause) {
        return new Retry(max, pause, longest, false, jittered, only, never);
    }

    /**
     * Returns a policy whose pause doubles after each attempt.
     *
     * @param pause the first pause
     * @return the changed policy
     */
    public Retry exponential(Duration pause) {
        return new Retry(max, pause, longest, true, jittered, only, never);
    }

    /**
     * Returns a policy with a different first pause. A doubling pause still doubles, and a constant pause stays
     * constant.
     *
     * @param pause the first pause
     * @return the changed policy
     */
    public Retry firstDelay(Duration pause) {
        return new Retry(max, pause, longest, doubled, jittered, only, never);
    }

    /**
     * Returns a policy with a different longest pause. The default is one minute.
     *
     * @param pause the longest pause
     * @return the changed policy
     */
    public Retry maxDelay(Duration pause) {
        Duration bounded = pause.compareTo(LONGEST_POSSIBLE) > 0 ? LONGEST_POSSIBLE : pause;
        return new Retry(max, first, bounded, doubled, jittered, only, never);
    }

    /**
     * Returns a policy whose pauses are shortened at random, by up to one half. So steps that failed together are not
     * all attempted again at the same time.
     *
     * @return the changed policy
     */
    public Retry jitter() {
        return new Retry(max, first, longest, doubled, true, only, never);
    }

    /**
     * Returns a policy that retries only after these exceptions, and after a {@link StepTimeoutException}.
     *
     * @param failures the classes of the exceptions; subclasses are included
     * @return the changed policy
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // The array is only read.
    public final Retry retryOn(Class<? extends Throwable>... failures) {
        return new Retry(max, first, longest, doubled, jittered, List.copyOf(Arrays.asList(failures)), never);
    }

    /**
     * Returns a policy that does not retry after these exceptions.
     *
     * @param failures the classes of the exceptions; subclasses are included
     * @return the changed policy
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // The array is only read.
    public final Retry noRetryOn(Class<? extends Throwable>... failures) {
        return new Retry(max, first, longest, doubled, jittered, only, List.copyOf(Arrays.asList(failures)));
    }

    /**
     * Returns the faults of this policy.
     *
     * @return the rest of a sentence that begins with the name of the policy, for each fault
     */
    public Stream<String> faults() {
        return Stream.of(
                        max < 1 ? "allows %d attempts, but at least 1 is needed".formatted(max) : "",
                        first.isNegative()
                                ? "has a pause of %s, which is negative".formatted(DurationText.of(first))
                                : "",
                        longest.isNegative()
                                ? "has a longest pause of %s, which is negative".formatted(DurationText.of(longest))
                                : "")
                .filter(fault -> !fault.isEmpty());
    }

    /**
     * Tells whether the policy allows another attempt.
     *
     * @param attempt the number of attempts so far
     * @return true if the step may be attempted again
     */
    public boolean allowsAfter(int attempt) {
        return attempt < max;
    }

    /**
     * Tells whether the policy retries after a failure.
     *
     * @param failure the exception that the code threw
     * @return true if another attempt may succeed
     */
    public boolean covers(Throwable failure) {
        return never.stream().noneMatch(each -> each.isInstance(failure))
                && (only.isEmpty()
                        || failure instanceof StepTimeoutException
                        || only.stream().anyMatch(each -> each.isInstance(failure)));
    }

    /**
     * Returns the pause before the next attempt.
     *
     * @param attempt the number of attempts so far
     * @param random draws the jitter
     * @return the pause
     */
    public Duration pauseAfter(int attempt, RandomGenerator random) {
        Duration full = first;
        if (doubled && !first.isZero()) {
            int shift = Math.min(attempt - 1, LARGEST_SHIFT);
            full = first.compareTo(longest.dividedBy(1L << shift)) > 0 ? longest : first.multipliedBy(1L << shift);
        }
        full = full.compareTo(longest) > 0 ? longest : full;
        if (!jittered) {
            return full;
        }
        return full.minusNanos(random.nextLong(full.toNanos() / 2 + 1));
    }
}
