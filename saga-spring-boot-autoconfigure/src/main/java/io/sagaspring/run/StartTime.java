package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The time at which a run begins: after a delay, at an instant, or after a time without a further start. The store's
 * clock decides when that time has come. An instant is not converted to a delay, because the clock of the calling node
 * may be wrong.
 *
 * @param delay the time after which the run begins, or null
 * @param instant the instant at which the run begins, or null
 * @param atMost the longest time between the first start and the beginning, or null if a later start does not postpone the run
 * @since 0.1.0
 */
public record StartTime(
        @Nullable Duration delay,
        @Nullable Instant instant,
        @Nullable Duration atMost) {

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /**
     * Checks that either the delay or the instant is given, but not both, and that the value can be stored.
     *
     * @param delay the time after which the run begins, or null
     * @param instant the instant at which the run begins, or null
     * @param atMost the longest time between the first start and the beginning, or null if a later start does not postpone the run
     */
    public StartTime {
        if ((delay == null) == (instant == null)) {
            throw new IllegalArgumentException(
                    "Give a run either a delay or a time at which it begins. Found: the delay %s and the time %s."
                            .formatted(delay, instant));
        }
        if (delay != null && delay.isNegative()) {
            throw new IllegalArgumentException(
                    "A run cannot begin after %s. The delay must not be negative.".formatted(DurationText.of(delay)));
        }
        if (atMost != null && (delay == null || delay.isZero() || atMost.compareTo(delay) < 0)) {
            throw new IllegalArgumentException(
                    "The quiet time of a run is %s, and its longest wait is %s. The quiet time must be positive, and not longer than the longest wait."
                            .formatted(delay == null ? "no time" : DurationText.of(delay), DurationText.of(atMost)));
        }
        if (instant != null && (instant.isBefore(EARLIEST) || instant.isAfter(LATEST))) {
            throw new IllegalArgumentException(
                    "A run cannot begin at %s. The time must be from the year 1 to the year 9999.".formatted(instant));
        }
    }

    /**
     * Creates a time that is a delay after the start of the run.
     *
     * @param delay the delay, which {@link StorageLimits#pause} shortens if it is too long to be stored
     * @return the time
     */
    public static StartTime after(Duration delay) {
        return new StartTime(StorageLimits.pause(delay), null, null);
    }

    /**
     * Creates a time that is an instant.
     *
     * @param instant the instant
     * @return the time
     */
    public static StartTime at(Instant instant) {
        return new StartTime(null, instant, null);
    }

    /**
     * Creates a time that each later start postpones.
     *
     * @param quiet the time without a start after which the run begins
     * @param atMost the longest time between the first start and the beginning
     * @return the time
     * @throws IllegalArgumentException if the first time is not positive, or longer than the second
     */
    public static StartTime quietFor(Duration quiet, Duration atMost) {
        return new StartTime(StorageLimits.pause(quiet), null, StorageLimits.pause(atMost));
    }

    /**
     * Returns the instant at which a run begins.
     *
     * @param now the current time by the store's clock
     * @return the instant, which is not before now
     */
    public Instant from(Instant now) {
        if (delay != null) {
            return now.plus(delay);
        }
        return instant == null || instant.isBefore(now) ? now : instant;
    }
}
