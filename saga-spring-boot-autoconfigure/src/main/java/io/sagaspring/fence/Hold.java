package io.sagaspring.fence;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Something that this node holds while foreign code works on it. The keeper interrupts that code, and nothing but that
 * code, when it must stop.
 */
public final class Hold implements AutoCloseable {

    /** Why the work had to stop. */
    public enum Stop {
        /** Somebody has taken it: another node, a janitor or a person. */
        TAKEN,
        /** The database could not be reached for so long that another node may have. */
        UNREACHABLE,
        /** It took longer than anything may. */
        TOO_LONG,
        /** This node closes: the row is to be given back, so that another one goes on at once. */
        CLOSING
    }

    private final Held held;
    private final KeptTable table;
    private final Duration window;
    private final Duration maximum;
    private final Duration margin;
    private final Ticks ticks;
    private final Runnable onClose;
    private final Duration since;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Duration renewed;
    private volatile @Nullable Stop stop;
    private @Nullable Thread worker;
    private boolean interrupted;
    private volatile boolean over;

    Hold(
            Held held,
            KeptTable table,
            Duration window,
            Duration maximum,
            Duration since,
            Duration margin,
            Ticks ticks,
            Hold.Closing closing) {
        this.held = held;
        this.table = table;
        this.window = window;
        this.maximum = maximum;
        this.margin = margin;
        this.ticks = ticks;
        this.onClose = () -> closing.closed(this);
        this.since = since;
        this.renewed = since;
    }

    /** Told when the work is over. */
    @FunctionalInterface
    interface Closing {
        void closed(Hold hold);
    }

    /**
     * Runs foreign code, which is interrupted when it must stop. An interrupt of ours never outlives it.
     *
     * @param work the code
     * @param <T> what it returns
     * @return what it returned
     * @throws Exception what it threw
     */
    public <T> T during(Callable<T> work) throws Exception {
        enter();
        try {
            return work.call();
        } finally {
            leave();
        }
    }

    /**
     * Why the work had to stop.
     *
     * @return the reason, or null while it need not
     */
    public @Nullable Stop stop() {
        return stop;
    }

    /**
     * What is held.
     *
     * @return the row and its token
     */
    public Held held() {
        return held;
    }

    /**
     * The table that the row is in.
     *
     * @return the one that renews it
     */
    public KeptTable table() {
        return table;
    }

    /**
     * For how long it has been held.
     *
     * @return the time passed on this node
     */
    public Duration age() {
        return ticks.now().minus(since);
    }

    @Override
    public void close() {
        onClose.run();
    }

    Duration window() {
        return window;
    }

    void renewedAt(Duration time) {
        renewed = time;
    }

    /** Judges by this node's clock alone, so that it works without the database. */
    void stopIfOverdue() {
        if (age().compareTo(maximum) > 0) {
            stop(Stop.TOO_LONG);
        } else if (ticks.now().minus(renewed).compareTo(window.minus(margin)) > 0) {
            stop(Stop.UNREACHABLE);
        }
    }

    /** Whether the work has ended: then it may have removed its row itself. */
    boolean isOver() {
        return over;
    }

    void stop(Stop reason) {
        lock.lock();
        try {
            if (stop == null) {
                stop = reason;
                if (worker != null) {
                    interrupted = true;
                    worker.interrupt();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void enter() throws InterruptedException {
        // The node may have been asleep since it took what it holds.
        stopIfOverdue();
        lock.lock();
        try {
            if (stop != null) {
                throw new InterruptedException("%s is no longer held: %s".formatted(held, stop));
            }
            worker = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            worker = null;
            over = true;
            if (interrupted) {
                interrupted = false;
                // It was meant for the work. The caller's thread goes on, and nobody has interrupted that.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
