package io.sagaspring.due;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Settings for the retries of failed work. The pause doubles after each failure. Each pause is shortened by a random
 * part of up to one half, so that work that failed at the same time is not retried at the same time.
 *
 * @param attempts the number of attempts before the work is parked
 * @param first the first pause
 * @param longest the longest pause
 * @since 0.1.0
 */
public record Retries(int attempts, Duration first, Duration longest) {

    /**
     * Rejects settings that allow no attempt or no pause, and a longest pause that is shorter than the first.
     *
     * @param attempts the number of attempts before the work is parked
     * @param first the first pause
     * @param longest the longest pause
     */
    public Retries {
        if (attempts < 1 || first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "Retries need at least one attempt, a first pause above zero, and a longest pause that is not shorter than the first. Found: %d attempts, a first pause of %s and a longest pause of %s."
                            .formatted(attempts, DurationText.of(first), DurationText.of(longest)));
        }
    }

    Duration pauseAfter(int attempt) {
        // The exponent is limited so that the shift does not overflow. Therefore, no pause is longer than 2^30 times
        // the first pause.
        Duration doubled = first.multipliedBy(1L << Math.min(attempt - 1, 30));
        Duration full = doubled.compareTo(longest) < 0 ? doubled : longest;
        long half = full.toMillis() / 2;
        return Duration.ofMillis(half + ThreadLocalRandom.current().nextLong(half + 1));
    }
}
