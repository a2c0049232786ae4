package io.sagaspring.autoconfigure;

import io.sagaspring.fence.Loop;
import io.sagaspring.fence.Loops;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes rows that are too old, on a thread of its own: at once, and again and again, never at the same time as all other nodes. */
final class Purge implements OwnWork {

    private static final Logger logger = LoggerFactory.getLogger(Purge.class);
    private static final int BATCH = 1_000;

    private final String rows;
    private final IntUnaryOperator some;
    private final Duration interval;
    private final Loops loops;
    private @Nullable Loop loop;

    /**
     * A purge that has not begun.
     *
     * @param rows what it removes, in the plural
     * @param some removes not more than so many, and tells how many
     * @param interval about how long it rests
     * @param loops knows the loops of this node
     */
    Purge(String rows, IntUnaryOperator some, Duration interval, Loops loops) {
        this.rows = rows;
        this.some = some;
        this.interval = interval;
        this.loops = loops;
    }

    @Override
    public synchronized void begin() {
        if (loop == null) {
            loop = loops.start(
                    new Loop.Settings("saga-purge", Duration.ZERO, interval, null),
                    this::purge,
                    failed ->
                            logger.warn("Removing old {} failed; will try again in about {}", rows, interval, failed));
        }
    }

    @Override
    public synchronized void end() {
        Loop ended = loop;
        loop = null;
        if (ended != null) {
            ended.interrupt();
            loops.forget(ended);
        }
    }

    private synchronized boolean goesOn() {
        return loop != null;
    }

    private Duration purge() {
        int removed = 0;
        int batch;
        // In small pieces, so that nobody waits for a row behind thousands of others.
        do {
            batch = some.applyAsInt(BATCH);
            removed += batch;
        } while (batch == BATCH && goesOn());
        logger.debug("Removed {} {} that were too old", removed, rows);
        return pause();
    }

    /** From half the interval to one and a half. */
    Duration pause() {
        long millis = interval.toMillis();
        return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextLong(millis));
    }
}
