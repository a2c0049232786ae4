package io.sagaspring.run;

import io.sagaspring.fence.LostAnswers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * The callers on this node that wait until runs end. If this node executes the run, the callers are notified and rarely
 * query the database. Otherwise they query the database at growing intervals.
 */
final class Waiters {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<RunId, WatchedRun> watchedRuns = new HashMap<>();

    private final class WatchedRun {
        private final Condition changed = lock.newCondition();
        private boolean executedHere;
        private boolean hasNews;
        private @Nullable RunEnd end;

        /** The end that this node's latest execution stored: completed, failed or cancelled. Null if it stored none. */
        private @Nullable RunEnd storedHere;

        private int waiting;
    }

    void executedHere(RunId id) {
        lock.lock();
        try {
            WatchedRun watched = watchedRuns.computeIfAbsent(id, unused -> new WatchedRun());
            watched.executedHere = true;
        } finally {
            lock.unlock();
        }
    }

    /** Records that this node no longer executes the run. The end is null if the run has not ended. */
    void notExecutedHere(RunId id, @Nullable RunEnd end) {
        lock.lock();
        try {
            WatchedRun watched = watchedRuns.get(id);
            if (watched != null) {
                watched.executedHere = false;
                watched.hasNews = true;
                watched.storedHere = end;
                // Keep the end only if the run completed. A person may have retried a failed run in the meantime.
                watched.end = end != null && end.state() == RunState.COMPLETED ? end : null;
                watched.changed.signalAll();
                removeIfUnused(id, watched);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Keeps the end of a run that this node is about to execute, until the returned registration is closed. */
    Registration register(RunId id) {
        lock.lock();
        try {
            WatchedRun watched = watchedRuns.computeIfAbsent(id, unused -> new WatchedRun());
            watched.waiting++;
            return new Registration(id, watched);
        } finally {
            lock.unlock();
        }
    }

    /** The registration of a caller that executes a run and then waits for its end. */
    final class Registration implements AutoCloseable {

        private final RunId id;
        private final WatchedRun watched;

        private Registration(RunId id, WatchedRun watched) {
            this.id = id;
            this.watched = watched;
        }

        /** Returns the end that the latest execution on this node stored, or null if that execution did not end the run. */
        @Nullable
        RunEnd end() {
            lock.lock();
            try {
                return watched.storedHere;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                watched.waiting--;
                removeIfUnused(id, watched);
            } finally {
                lock.unlock();
            }
        }
    }

    private void removeIfUnused(RunId id, WatchedRun watched) {
        if (watched.waiting == 0 && !watched.executedHere) {
            watchedRuns.remove(id);
        }
    }

    /**
     * Waits for the end of a run. Returns null if the run has not ended in time. A read that fails because its
     * connection was lost is repeated until the timeout has passed.
     */
    @Nullable
    RunEnd await(RunId id, Duration timeout, Supplier<@Nullable RunEnd> read) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Duration pause = FIRST_PAUSE;
        lock.lock();
        try {
            WatchedRun watched = watchedRuns.computeIfAbsent(id, unused -> new WatchedRun());
            watched.waiting++;
            try {
                while (true) {
                    boolean isLong = pause.compareTo(LONGEST_PAUSE) >= 0;
                    RunEnd end = watched.end;
                    try {
                        end = end == null ? readIfNeeded(watched, isLong, read) : end;
                    } catch (DataAccessException unanswered) {
                        if (!LostAnswers.isOfTheConnection(unanswered) || System.nanoTime() >= deadline) {
                            throw unanswered;
                        }
                    }
                    long remaining = deadline - System.nanoTime();
                    if (end != null) {
                        return end;
                    }
                    if (remaining <= 0) {
                        return null;
                    }
                    if (!watched.hasNews) {
                        long unused = watched.changed.awaitNanos(Math.min(remaining, pause.toNanos()));
                    }
                    watched.hasNews = false;
                    pause = isLong ? LONGEST_PAUSE : pause.multipliedBy(2);
                }
            } finally {
                watched.waiting--;
                removeIfUnused(id, watched);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads the run without holding the lock, because the database may be slow. If this node executes the run, the run
     * is not read, unless {@code always} is true: another node may have taken over the run without this node noticing.
     */
    private @Nullable RunEnd readIfNeeded(WatchedRun watched, boolean always, Supplier<@Nullable RunEnd> read) {
        if (watched.executedHere && !always) {
            return null;
        }
        watched.hasNews = false;
        lock.unlock();
        try {
            return read.get();
        } finally {
            lock.lock();
        }
    }
}
