package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The pauses of a retry policy.
 *
 * @param first the first pause
 * @param longest the longest pause
 * @param factor the ratio of a pause to the one before
 * @param jittered true if each pause is shortened by up to a half, at random
 */
record RetryPauses(Duration first, Duration longest, double factor, boolean jittered) {

    /** A hundred years: the number of nanoseconds of such a pause still fits into a {@code long}. */
    private static final Duration LONGEST_POSSIBLE = Duration.ofDays(36_500);

    RetryPauses {
        longest = longest.compareTo(LONGEST_POSSIBLE) > 0 ? LONGEST_POSSIBLE : longest;
    }

    static RetryPauses standard() {
        return new RetryPauses(Duration.ofSeconds(1), Duration.ofMinutes(1), 1, false);
    }

    RetryPauses first(Duration pause) {
        return new RetryPauses(pause, longest, factor, jittered);
    }

    RetryPauses longest(Duration pause) {
        return new RetryPauses(first, pause, factor, jittered);
    }

    RetryPauses factor(double ratio) {
        return new RetryPauses(first, longest, ratio, jittered);
    }

    RetryPauses withJitter() {
        return new RetryPauses(first, longest, factor, true);
    }

    Stream<String> faults() {
        return Stream.of(
                first.isNegative() ? "has a pause of %s, which is negative".formatted(DurationText.of(first)) : "",
                longest.isNegative()
                        ? "has a longest pause of %s, which is negative".formatted(DurationText.of(longest))
                        : "",
                factor >= 1 ? "" : "multiplies its pauses by %s, which is less than 1".formatted(factor));
    }

    Duration after(int attempt, RandomGenerator random) {
        Duration full = longest;
        // Without this case, zero would be multiplied by a power that can be infinite, and the result would not be a
        // number.
        if (first.isZero()) {
            full = first;
        } else if (first.compareTo(longest) < 0) {
            double nanos = first.toNanos() * Math.pow(factor, attempt - 1);
            full = nanos < longest.toNanos() ? Duration.ofNanos((long) nanos) : longest;
        }
        return jittered ? full.minusNanos(random.nextLong(full.toNanos() / 2 + 1)) : full;
    }
}
