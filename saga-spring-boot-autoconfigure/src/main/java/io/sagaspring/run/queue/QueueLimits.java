package io.sagaspring.run.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of runs of a queue that may execute at once, over all nodes.
 *
 * @param atOnce the largest number of runs of the queue
 * @param atOnceForEach the largest number of runs with the same key, or null for no limit
 * @since 0.1.0
 */
public record QueueLimits(int atOnce, @Nullable Integer atOnceForEach) {

    /** The number of permits of a queue whose declaration does not say it. */
    public static final int DEFAULT_AT_ONCE = 1_000;

    /** The largest number of permits of a queue. */
    public static final int MOST_AT_ONCE = 10_000;

    /**
     * Checks the limits.
     *
     * @param atOnce the largest number of runs of the queue
     * @param atOnceForEach the largest number of runs with the same key, or null for no limit
     * @throws IllegalArgumentException if no run could begin, or a limit has no effect
     */
    public QueueLimits {
        List<String> faults = faults(atOnce, atOnceForEach);
        if (!faults.isEmpty()) {
            throw new IllegalArgumentException(String.join(" ", faults));
        }
    }

    /**
     * Limits the runs of the queue.
     *
     * @param atOnce the largest number of runs of the queue that execute at once
     * @return the limits, without one for each key
     */
    public static QueueLimits atOnce(int atOnce) {
        return new QueueLimits(atOnce, null);
    }

    /**
     * Adds a limit for the runs with the same key.
     *
     * @param each the largest number of runs with the same key that execute at once
     * @return these limits, with one for each key
     */
    public QueueLimits atOnceForEach(int each) {
        return new QueueLimits(atOnce, each);
    }

    static List<String> faults(int atOnce, @Nullable Integer each) {
        List<String> faults = new ArrayList<>();
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
        return atOnceForEach == null
                ? "at-once=%s".formatted(atOnce)
                : "at-once=%s, at-once-for-each=%s".formatted(atOnce, atOnceForEach);
    }
}
