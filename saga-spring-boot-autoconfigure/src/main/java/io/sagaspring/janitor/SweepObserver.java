package io.sagaspring.janitor;

import io.sagaspring.fence.DurationText;
import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one observer of a module's sweeps, which is code of the application. Only {@link #callHere} makes the call on
 * the calling thread. All other calls run on a separate thread. A call that hangs is interrupted. Such a call delays
 * only the observer's later calls.
 */
final class SweepObserver {

    private static final Logger logger = LoggerFactory.getLogger(SweepObserver.class);

    /** The longest time that a call may take before it is interrupted. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    /**
     * The greatest number of calls that wait behind an interrupted call. Later calls are dropped. If more calls than
     * this wait behind a call that was not interrupted, the sweep waits for a limited time.
     */
    static final int ROOM = 1000;

    /** The greatest number of calls that wait behind a call that was not interrupted. Later calls are dropped. */
    private static final int MOST = 100_000;

    /** The longest time that one sweep waits for room in the queue of a slow observer. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final String name;
    private final ElapsedClock ticks;
    private final ThreadPoolExecutor thread;
    private int pending;
    private int dropped;
    private boolean slow;
    private long patience = PATIENCE.toNanos();
    private @Nullable Thread calling;
    private @Nullable Duration since;
    private boolean interrupted;

    SweepObserver(String name, ElapsedClock ticks) {
        this.name = name;
        this.ticks = ticks;
        this.thread = new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
            Thread made = new Thread(work, "saga-janitor-hook");
            made.setDaemon(true);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    /** Adds a call, which begins when the earlier calls have ended. Drops the call if too many calls already wait. */
    void enqueue(Runnable call) {
        synchronized (this) {
            awaitRoom();
            if (pending > (interrupted ? ROOM : MOST)) {
                if (dropped++ == 0) {
                    logger.warn(
                            "{} gets no more notifications for now. A call is still in progress, and too many further calls wait (number: {})",
                            name,
                            pending);
                }
                return;
            }
            pending++;
        }
        Runnable task = () -> call(call);
        try {
            thread.execute(task);
        } catch (RuntimeException | Error noThread) {
            boolean unused = thread.remove(task);
            logger.warn("{} misses a notification, because no thread could be started for it", name, noThread);
            ended();
        }
    }

    /**
     * Makes the call on this thread, after a release that a person has requested. The call is interrupted like any
     * other call that takes too long.
     */
    void callHere(Runnable call) {
        synchronized (this) {
            pending++;
        }
        call(call);
    }

    /** Delays the sweep for a limited time, so that a slow observer can catch up. */
    private synchronized void awaitRoom() {
        while (pending > ROOM && patience > 0 && !slow && !interrupted) {
            long begun = System.nanoTime();
            try {
                wait(100);
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                patience -= System.nanoTime() - begun;
            }
        }
    }

    private void call(Runnable call) {
        synchronized (this) {
            calling = Thread.currentThread();
            since = ticks.now();
            interrupted = false;
        }
        try {
            call.run();
        } catch (Throwable failed) {
            logger.warn("{} threw an exception. The janitor is not affected", name, failed);
        } finally {
            returned();
        }
    }

    private synchronized void returned() {
        calling = null;
        since = null;
        // Clear the interrupt that was meant for this call. Keep an interrupt from another source.
        if (interrupted) {
            boolean unused = Thread.interrupted();
        }
        interrupted = false;
        ended();
    }

    private synchronized void ended() {
        pending--;
        if (pending == 0) {
            slow = false;
            if (dropped > 0) {
                logger.warn("{} responds again. Missed notifications: {}", name, dropped);
                dropped = 0;
            }
        }
        notifyAll();
    }

    /**
     * Waits for at most the given time until all calls have ended. Does not wait for an observer that is known to be
     * slow.
     */
    synchronized void settle(Duration atMost) {
        patience = PATIENCE.toNanos();
        if (!slow) {
            slow = !awaitCalls(atMost);
        }
    }

    /**
     * Waits for at most the given time until all calls have ended, even for a slow observer, but not for a call that
     * hangs.
     */
    synchronized void close(Duration atMost) {
        if (!awaitCalls(atMost)) {
            logger.warn("{} missed notifications because of the shutdown (number: {})", name, pending);
        }
    }

    /** Waits until all calls have ended. Returns false if calls remain after the given time, or if a call hangs. */
    synchronized boolean awaitCalls(Duration atMost) {
        long giveUp = System.nanoTime() + atMost.toNanos();
        while (pending > 0) {
            long remaining = TimeUnit.NANOSECONDS.toMillis(giveUp - System.nanoTime());
            if (remaining <= 0 || interrupted) {
                return false;
            }
            try {
                wait(remaining);
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return true;
    }

    /** Interrupts a call that takes too long. The sweep calls this method at every tick. */
    synchronized void interruptIfOverdue() {
        Thread caller = calling;
        if (caller != null && !interrupted && since != null) {
            Duration elapsed = ticks.now().minus(since);
            if (elapsed.compareTo(LIMIT) > 0) {
                interrupted = true;
                logger.warn(
                        "{} has not returned for {} and is interrupted. Sweeps continue without it",
                        name,
                        DurationText.of(elapsed));
                caller.interrupt();
            }
        }
    }

    /** Returns the duration of an interrupted call that has not returned, or null if there is none. */
    synchronized @Nullable Duration hanging() {
        return interrupted && since != null ? ticks.now().minus(since) : null;
    }

    @Override
    public String toString() {
        return name;
    }
}
