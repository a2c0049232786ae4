package io.sagaspring.due;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * When failed work is tried again: after pauses that double, each shortened by up to a half at random so that what failed
 * together does not come back together.
 *
 * @param attempts how often in all, before it is parked
 * @param first the first pause
 * @param longest the longest pause
 */
public record Retries(int attempts, Duration first, Duration longest) {

    /**
     * Refuses what would never try, or try without a pause.
     *
     * @param attempts how often in all, before it is parked
     * @param first the first pause
     * @param longest the longest pause
     */
    public Retries {
        if (attempts < 1 || first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "At least one attempt, a first pause above zero and a longest pause not below it are needed: %d, %s, %s."
                            .formatted(attempts, first, longest));
        }
    }

    Duration pauseAfter(int attempt) {
        // Beyond 2^30 no longest pause is still longer.
        Duration doubled = first.multipliedBy(1L << Math.min(attempt - 1, 30));
        Duration full = doubled.compareTo(longest) < 0 ? doubled : longest;
        long half = full.toMillis() / 2;
        return Duration.ofMillis(half + ThreadLocalRandom.current().nextLong(half + 1));
    }
}
