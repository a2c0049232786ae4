package io.sagaspring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final AtomicBoolean running = new AtomicBoolean();
    private @Nullable ScheduledExecutorService thread;

    /**
     * A purge that has not begun.
     *
     * @param rows what it removes, in the plural
     * @param some removes not more than so many, and tells how many
     * @param interval about how long it rests
     */
    Purge(String rows, IntUnaryOperator some, Duration interval) {
        this.rows = rows;
        this.some = some;
        this.interval = interval;
    }

    @Override
    public synchronized void begin() {
        if (running.compareAndSet(false, true)) {
            thread = Executors.newSingleThreadScheduledExecutor(work -> {
                Thread made = new Thread(work, "saga-purge");
                made.setDaemon(true);
                return made;
            });
            thread.execute(this::purge);
        }
    }

    @Override
    public synchronized void end() {
        running.set(false);
        if (thread != null) {
            thread.shutdownNow();
        }
    }

    private void purge() {
        try {
            int removed = 0;
            int batch = BATCH;
            // In small pieces, so that nobody waits for a row behind thousands of others.
            while (batch == BATCH && running.get()) {
                batch = some.applyAsInt(BATCH);
                removed += batch;
            }
            logger.debug("Removed {} {} that were too old", removed, rows);
        } catch (RuntimeException | Error failed) {
            // Whatever fails must not end the schedule.
            if (running.get()) {
                logger.warn("Removing old {} failed; will try again in about {}", rows, interval, failed);
            }
        } finally {
            again();
        }
    }

    private synchronized void again() {
        if (running.get() && thread != null) {
            var unused = thread.schedule(this::purge, pause().toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** From half the interval to one and a half. */
    Duration pause() {
        long millis = interval.toMillis();
        return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextLong(millis));
    }
}
