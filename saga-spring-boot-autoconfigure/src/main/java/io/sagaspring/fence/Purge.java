package io.sagaspring.fence;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes rows that are too old: at once, and again and again, never at the same time as all other nodes.
 *
 * @since 0.1.0
 */
public final class Purge {

    private static final Logger logger = LoggerFactory.getLogger(Purge.class);
    private static final int BATCH = 1_000;

    private final String rows;
    private final IntUnaryOperator some;
    private final Duration interval;
    private final Jobs jobs;
    private volatile int removed;
    private Jobs.@Nullable Job job;

    /**
     * Creates a purge that has not begun.
     *
     * @param rows what it removes, in the plural
     * @param some removes not more than so many, and returns how many
     * @param interval about how long it rests
     * @param jobs the jobs of this node
     */
    public Purge(String rows, IntUnaryOperator some, Duration interval, Jobs jobs) {
        this.rows = rows;
        this.some = some;
        this.interval = interval;
        this.jobs = jobs;
    }

    /** Begins to remove. Where it has begun already, it goes on. */
    public synchronized void begin() {
        if (job == null) {
            job = jobs.start(
                    this::purge,
                    interval,
                    failed ->
                            logger.warn("Removing old {} failed; will try again in about {}", rows, interval, failed));
        }
    }

    /** Removes no more, and interrupts what is being removed. */
    public synchronized void end() {
        Jobs.Job ended = job;
        job = null;
        if (ended != null) {
            ended.end();
        }
    }

    /** Removes one batch: nobody waits for a row behind thousands of others, and no job behind this one. */
    private Duration purge() {
        int batch = some.applyAsInt(BATCH);
        int all = removed + batch;
        if (batch == BATCH) {
            removed = all;
            return Duration.ZERO;
        }
        removed = 0;
        logger.debug("Removed {} {} that were too old", all, rows);
        return pause();
    }

    /** From half the interval to one and a half. */
    Duration pause() {
        long millis = interval.toMillis();
        return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextLong(millis));
    }
}
