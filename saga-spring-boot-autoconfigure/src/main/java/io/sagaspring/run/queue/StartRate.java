package io.sagaspring.run.queue;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * A limit for the number of runs that begin within a period. In each window of one period, however it is placed, at most that many runs
 * begin.
 *
 * <p>Without a burst, the runs begin evenly: with 100 per minute, at most one every 600 ms. After an idle time, as many runs as the
 * burst allows may begin at the same time. The burst counts within the limit, so the other runs begin more slowly: with 100 per minute and a
 * burst of 10, at most one every 659 ms.
 *
 * <p>The rules are those of the generic cell rate algorithm. The time until which the limit is used moves by one {@link #step} for
 * each run.
 *
 * @param starts the largest number of runs that begin within the period
 * @param per the period
 * @param burst the largest number of runs that begin at the same time
 * @since 0.1.0
 */
public record StartRate(int starts, Duration per, int burst) {

    private static final int MOST_STARTS = 100_000;
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(31);
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*/\\s*(\\S+)");

    /** Parses a number, a slash and a duration, such as {@code 100/1m}. Returns null if the text is something else. */
    static @Nullable StartRate parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            return null;
        }
        try {
            return new StartRate(
                    Integer.parseInt(matcher.group(1)), DurationFormatterUtils.detectAndParse(matcher.group(2)), 1);
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }

    StartRate withBurst(int runs) {
        return new StartRate(starts, per, runs);
    }

    /**
     * Returns the faults of this rate, each with its remedy.
     *
     * @param suffix the end of the names of the properties, such as {@code -for-each}
     */
    List<String> faults(String suffix) {
        List<String> faults = new ArrayList<>();
        String named = "starts%s=%s/%s".formatted(suffix, starts, DurationText.exactly(per));
        if (starts < 1) {
            faults.add("%s lets nothing begin. Use 1 or more, or pause the queue.".formatted(named));
        }
        if (starts > MOST_STARTS) {
            faults.add("%s is too large. Use at most 100,000 starts.".formatted(named));
        }
        if (per.compareTo(SHORTEST) < 0 || per.compareTo(LONGEST) > 0) {
            faults.add("%s has a period that is out of range. Use 1 ms to 31 d.".formatted(named));
        }
        if (burst < 1) {
            faults.add("burst%s=%d lets nothing begin. Use 1 or more.".formatted(suffix, burst));
        }
        if (burst > starts && starts >= 1) {
            faults.add("burst%s=%d is more than starts%s=%d, so a burst of this size cannot happen. Use at most %d."
                    .formatted(suffix, burst, suffix, starts, starts));
        }
        return faults;
    }

    /**
     * Returns the time between two runs once the burst is used up. With the usual step, which is the period divided by
     * the number of starts, almost twice as many runs could begin within one period: a burst, and the runs after it.
     *
     * @return the period divided by {@code starts - burst + 1}, rounded up to microseconds
     */
    public Duration step() {
        long divisor = starts - burst + 1L;
        long nanos = (per.toNanos() + divisor - 1) / divisor;
        return Duration.ofNanos((nanos + 999) / 1_000 * 1_000);
    }

    /**
     * Returns the time by which a run may begin early, because of the burst.
     *
     * @return zero without a burst
     */
    public Duration tolerance() {
        return step().multipliedBy(burst - 1L);
    }

    /**
     * Returns the time at which the next run may begin.
     *
     * @param usedUntil the time until which the limit is used, or null if no run has begun
     * @param now the current time
     * @return the time, which is not after now if a run may begin now
     */
    public Instant nextStart(@Nullable Instant usedUntil, Instant now) {
        return (usedUntil == null ? now : usedUntil).minus(tolerance());
    }

    /**
     * Returns the time until which the limit is used after one more run has begun.
     *
     * @param usedUntil the time until which the limit was used, or null if no run has begun
     * @param now the time at which the run begins
     * @return the time until which the limit is used
     */
    public Instant usedAfterStart(@Nullable Instant usedUntil, Instant now) {
        return (usedUntil == null || usedUntil.isBefore(now) ? now : usedUntil).plus(step());
    }

    /**
     * Returns the latest time until which the limit can be used now. A later time comes from another limit, or from a
     * clock that was set back.
     *
     * @param now the current time
     * @return the time until which the limit is used directly after a burst
     */
    public Instant latestUse(Instant now) {
        return now.plus(tolerance()).plus(step());
    }

    @Override
    public String toString() {
        String text = "%s/%s".formatted(starts, DurationText.exactly(per));
        return burst == 1 ? text : "%s with a burst of %s".formatted(text, burst);
    }
}
