package io.sagaspring.fence;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes expired rows, immediately and then repeatedly. The pauses vary, so that the nodes do not all remove rows at
 * the same time.
 *
 * @since 0.1.0
 */
public final class Purge {

    private static final Logger logger = LoggerFactory.getLogger(Purge.class);
    private static final int BATCH = 1_000;

    private final String rows;
    private final IntUnaryOperator removal;
    private final Duration interval;
    private final Jobs jobs;
    private volatile int removed;
    private Jobs.@Nullable Job job;

    /**
     * Creates a purge that has not started.
     *
     * @param rows a name for the rows in messages, in the plural
     * @param removal the function that removes at most the given number of rows, and returns the number of removed rows
     * @param interval the approximate pause between two purges
     * @param jobs the background jobs of this node
     */
    public Purge(String rows, IntUnaryOperator removal, Duration interval, Jobs jobs) {
        this.rows = rows;
        this.removal = removal;
        this.interval = interval;
        this.jobs = jobs;
    }

    /** Starts the purge. Does nothing if it has already started. */
    public synchronized void begin() {
        if (job == null) {
            job = jobs.start(
                    this::purge,
                    interval,
                    failed -> logger.warn(
                            "Purging {} failed; will try again in about {}", rows, DurationText.of(interval), failed));
        }
    }

    /** Ends the purge, and interrupts a batch that is in progress. */
    public synchronized void end() {
        Jobs.Job ended = job;
        job = null;
        if (ended != null) {
            ended.end();
        }
    }

    /** Removes one batch. Small batches keep row locks short, and other jobs can run in between. */
    private Duration purge() {
        int batch = removal.applyAsInt(BATCH);
        int all = removed + batch;
        if (batch == BATCH) {
            removed = all;
            return Duration.ZERO;
        }
        removed = 0;
        if (all > 0) {
            logger.debug("Removed {} expired {}", all, rows);
        }
        return pause();
    }

    /** Returns a random pause between half the interval and one and a half times the interval. */
    Duration pause() {
        long millis = interval.toMillis();
        return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextLong(millis));
    }
}
