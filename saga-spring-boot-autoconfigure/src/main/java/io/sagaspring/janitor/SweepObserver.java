package io.sagaspring.janitor;

import io.sagaspring.fence.ElapsedClock;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls foreign code that observes the sweeps of one module, on a thread of its own. A call that hangs is interrupted, and
 * holds up nothing but the calls behind it.
 */
final class SweepObserver {

    private static final Logger logger = LoggerFactory.getLogger(SweepObserver.class);

    /** How long a call may take before it is interrupted. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    /** How many calls wait behind one that hangs. Later ones are dropped. Behind a slow one the sweep waits for a while. */
    static final int ROOM = 1000;

    /** How many calls wait at all. Later ones are dropped. */
    private static final int MOST = 100_000;

    /** How long one sweep waits for a slow observer while it tells it of recoveries. */
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

    /** Has the call made as soon as those before it have ended. */
    void tell(Runnable call) {
        synchronized (this) {
            awaitRoom();
            if (pending > (interrupted ? ROOM : MOST)) {
                if (dropped++ == 0) {
                    logger.warn("{} is not told of more: {} calls wait behind one that takes too long", name, pending);
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
            logger.warn("{} is not told of a call, because no thread could be started for it", name, noThread);
            ended();
        }
    }

    /** Makes the call on this thread, which a person waits for. It is interrupted like any other call that takes too long. */
    void callHere(Runnable call) {
        synchronized (this) {
            pending++;
        }
        call(call);
    }

    /** Holds up the sweep, so that a slow observer can follow it. */
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
            logger.warn("{} failed; the sweep goes on", name, failed);
        } finally {
            returned();
        }
    }

    private synchronized void returned() {
        calling = null;
        since = null;
        // The interrupt was for this call and not for the next one. What another has sent stays.
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
                logger.warn("{} answers again, and was not told of {} events", name, dropped);
                dropped = 0;
            }
        }
        notifyAll();
    }

    /** Waits until all calls have been made. For those of an observer that is known to be slow nothing waits again. */
    synchronized void settle(Duration atMost) {
        patience = PATIENCE.toNanos();
        if (!slow) {
            slow = !awaitCalls(atMost);
        }
    }

    /** Waits until all calls have been made, also for a slow observer, but not behind a call that hangs. */
    synchronized void close(Duration atMost) {
        if (!awaitCalls(atMost)) {
            logger.warn("{} has not been told of {} events before the shutdown", name, pending);
        }
    }

    /** Waits, and returns false if calls were left at the end of that time. */
    synchronized boolean awaitCalls(Duration atMost) {
        long giveUp = System.nanoTime() + atMost.toNanos();
        while (pending > 0) {
            long left = TimeUnit.NANOSECONDS.toMillis(giveUp - System.nanoTime());
            if (left <= 0 || interrupted) {
                return false;
            }
            try {
                wait(left);
            } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return true;
    }

    /** Interrupts a call that takes too long. Called now and then. */
    synchronized void interruptIfOverdue() {
        Thread caller = calling;
        if (caller != null && !interrupted && since != null) {
            Duration taken = ticks.now().minus(since);
            if (taken.compareTo(LIMIT) > 0) {
                interrupted = true;
                logger.warn(
                        "{} has not returned for {} s and is interrupted. Sweeps go on without it",
                        name,
                        taken.toSeconds());
                caller.interrupt();
            }
        }
    }

    /** For how long a call that was interrupted has not returned, or null if there is none. */
    synchronized @Nullable Duration hanging() {
        return interrupted && since != null ? ticks.now().minus(since) : null;
    }

    @Override
    public String toString() {
        return name;
    }
}
