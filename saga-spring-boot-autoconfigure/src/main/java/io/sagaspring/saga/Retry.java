package io.sagaspring.saga;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * When what failed is tried again: {@code retry().max(5).exponential(ofSeconds(1)).jitter()}. Without more it is tried three
 * times, a second apart. Pauses are durable: a node that dies in one is not missed.
 *
 * @since 0.1.0
 */
public final class Retry {

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final int LARGEST_SHIFT = 40;

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
     * Three attempts, a second apart.
     *
     * @return to be changed
     */
    public static Retry retry() {
        return new Retry(3, Duration.ofSeconds(1), LONGEST, false, false, List.of(), List.of());
    }

    static Retry never() {
        return retry().max(1);
    }

    /**
     * How often it is tried in all.
     *
     * @param attempts with the first
     * @return such a policy
     */
    public Retry max(int attempts) {
        return new Retry(attempts, first, longest, doubled, jittered, only, never);
    }

    /**
     * The same pause before each further attempt.
     *
     * @param pause how long
     * @return such a policy
     */
    public Retry delay(Duration pause) {
        return new Retry(max, pause, longest, false, jittered, only, never);
    }

    /**
     * Pauses that double.
     *
     * @param pause the first
     * @return such a policy
     */
    public Retry exponential(Duration pause) {
        return new Retry(max, pause, longest, true, jittered, only, never);
    }

    /**
     * The first pause, of whatever kind they are.
     *
     * @param pause how long
     * @return such a policy
     */
    public Retry firstDelay(Duration pause) {
        return new Retry(max, pause, longest, doubled, jittered, only, never);
    }

    /**
     * No pause is longer: a minute unless said otherwise.
     *
     * @param pause how long
     * @return such a policy
     */
    public Retry maxDelay(Duration pause) {
        return new Retry(max, first, Durations.bounded(pause), doubled, jittered, only, never);
    }

    /**
     * Pauses are shortened by up to a half, at random, so that what failed together does not come back together.
     *
     * @return such a policy
     */
    public Retry jitter() {
        return new Retry(max, first, longest, doubled, true, only, never);
    }

    /**
     * Tries again only after these.
     *
     * @param failures classes, with their subclasses
     * @return such a policy
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // They are only read.
    public final Retry retryOn(Class<? extends Throwable>... failures) {
        return new Retry(max, first, longest, doubled, jittered, List.copyOf(Arrays.asList(failures)), never);
    }

    /**
     * Does not try again after these.
     *
     * @param failures classes, with their subclasses
     * @return such a policy
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // They are only read.
    public final Retry noRetryOn(Class<? extends Throwable>... failures) {
        return new Retry(max, first, longest, doubled, jittered, only, List.copyOf(Arrays.asList(failures)));
    }

    Stream<String> faults() {
        return Stream.of(
                        max < 1 ? "is tried %d times, and at least once is needed".formatted(max) : "",
                        first.isNegative() ? "waits for %s".formatted(first) : "",
                        longest.isNegative() ? "waits for at most %s".formatted(longest) : "")
                .filter(fault -> !fault.isEmpty());
    }

    boolean allowsAfter(int attempt) {
        return attempt < max;
    }

    boolean covers(Throwable failure) {
        return never.stream().noneMatch(each -> each.isInstance(failure))
                && (only.isEmpty() || only.stream().anyMatch(each -> each.isInstance(failure)));
    }

    Duration pauseAfter(int attempt, RandomGenerator random) {
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
