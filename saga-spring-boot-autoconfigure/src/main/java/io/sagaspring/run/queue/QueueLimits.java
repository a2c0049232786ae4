package io.sagaspring.run.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue over all nodes: how many of its runs execute at the same time, and how many begin within a
 * period.
 *
 * @param atOnce the largest number of runs of the queue that execute at the same time
 * @param atOnceForEach the largest number of runs with the same key that execute at the same time, or null for no limit
 * @param starts the largest number of runs that begin within a period, or null for no limit
 * @param startsForEach the largest number of runs with the same key that begin within a period, or null for no limit
 * @since 0.1.0
 */
public record QueueLimits(
        int atOnce,
        @Nullable Integer atOnceForEach,
        @Nullable StartRate starts,
        @Nullable StartRate startsForEach) {

    /** The number of permits of a queue whose declaration does not set this number. */
    public static final int DEFAULT_AT_ONCE = 1_000;

    /** The largest number of permits of a queue. */
    public static final int MOST_AT_ONCE = 10_000;

    /**
     * Checks the limits.
     *
     * @param atOnce the largest number of runs of the queue that execute at the same time
     * @param atOnceForEach the largest number of runs with the same key that execute at the same time, or null for no
     *     limit
     * @param starts the largest number of runs that begin within a period, or null for no limit
     * @param startsForEach the largest number of runs with the same key that begin within a period, or null for no limit
     * @throws IllegalArgumentException if no run could begin, or a limit is out of range or has no effect
     */
    public QueueLimits {
        List<String> faults = faults(atOnce, atOnceForEach, starts, startsForEach);
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join(" ", faults));
        }
    }

    /**
     * Creates limits for the runs that execute at the same time, without a limit for the starts within a period.
     *
     * @param atOnce the largest number of runs of the queue that execute at the same time
     * @param atOnceForEach the largest number of runs with the same key that execute at the same time, or null for no
     *     limit
     * @throws IllegalArgumentException if no run could begin, or a limit is out of range or has no effect
     */
    public QueueLimits(int atOnce, @Nullable Integer atOnceForEach) {
        this(atOnce, atOnceForEach, null, null);
    }

    /**
     * Limits the runs of the queue that execute at the same time.
     *
     * @param atOnce the largest number of runs of the queue that execute at the same time
     * @return the limits, without a limit for each key
     */
    public static QueueLimits atOnce(int atOnce) {
        return new QueueLimits(atOnce, null);
    }

    /**
     * Adds a limit for the runs with the same key.
     *
     * @param each the largest number of runs with the same key that execute at the same time
     * @return these limits, with this limit for each key
     */
    public QueueLimits atOnceForEach(int each) {
        return new QueueLimits(atOnce, each, starts, startsForEach);
    }

    /**
     * Adds a limit for the starts within a period. The runs begin evenly.
     *
     * @param runs the largest number of runs that begin within the period
     * @param per the period
     * @return these limits, with this limit for the starts
     */
    public QueueLimits starts(int runs, Duration per) {
        return starts(runs, per, 1);
    }

    /**
     * Adds a limit for the starts within a period, with a burst.
     *
     * @param runs the largest number of runs that begin within the period
     * @param per the period
     * @param burst the largest number of runs that begin at the same time
     * @return these limits, with this limit for the starts
     */
    public QueueLimits starts(int runs, Duration per, int burst) {
        return new QueueLimits(atOnce, atOnceForEach, new StartRate(runs, per, burst), startsForEach);
    }

    /**
     * Adds a limit for the starts of the runs with the same key within a period. The runs begin evenly.
     *
     * @param runs the largest number of runs with the same key that begin within the period
     * @param per the period
     * @return these limits, with this limit for the starts of each key
     */
    public QueueLimits startsForEach(int runs, Duration per) {
        return startsForEach(runs, per, 1);
    }

    /**
     * Adds a limit for the starts of the runs with the same key within a period, with a burst.
     *
     * @param runs the largest number of runs with the same key that begin within the period
     * @param per the period
     * @param burst the largest number of runs with the same key that begin at the same time
     * @return these limits, with this limit for the starts of each key
     */
    public QueueLimits startsForEach(int runs, Duration per, int burst) {
        return new QueueLimits(atOnce, atOnceForEach, starts, new StartRate(runs, per, burst));
    }

    static List<String> faults(
            int atOnce, @Nullable Integer each, @Nullable StartRate starts, @Nullable StartRate startsForEach) {
        List<String> faults = new ArrayList<>();
        if (starts != null) {
            faults.addAll(starts.faults(""));
        }
        if (startsForEach != null) {
            faults.addAll(startsForEach.faults("-for-each"));
        }
        if (atOnce < 1) {
            faults.add("at-once=%d lets nothing begin. Use 1 or more, or pause the queue.".formatted(atOnce));
        }
        if (atOnce > MOST_AT_ONCE) {
            faults.add("at-once=%d is too large. A queue has at most 10,000 permits.".formatted(atOnce));
        }
        if (each != null && each < 1) {
            faults.add("at-once-for-each=%d lets nothing begin. Use 1 or more, or remove this limit.".formatted(each));
        }
        if (each != null && atOnce >= 1 && each > atOnce) {
            faults.add(
                    "at-once-for-each=%d is more than at-once=%d, so it limits nothing. Use at most %d, or remove this limit."
                            .formatted(each, atOnce, atOnce));
        }
        return faults;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("at-once=").append(atOnce);
        append(text, "at-once-for-each", atOnceForEach);
        append(text, "starts", starts);
        append(text, "starts-for-each", startsForEach);
        return text.toString();
    }

    private static void append(StringBuilder text, String name, @Nullable Object limit) {
        if (limit != null) {
            text.append(", ").append(name).append('=').append(limit);
        }
    }
}
