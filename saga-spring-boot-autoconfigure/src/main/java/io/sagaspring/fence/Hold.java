package io.sagaspring.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that this node holds while foreign code works on it. The keeper interrupts that code, and nothing but that
 * code, when it must stop.
 *
 * @since 0.1.0
 */
public final class Hold implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Hold.class);

    /** Why the work had to stop. */
    public enum Stop {
        /** Somebody has taken it: another node, a janitor or a person. */
        TAKEN("it was taken over, or a person released it"),
        /** The database could not be reached for so long that another node may have. */
        UNREACHABLE(
                "the database could not be reached in time (where a pooler had lent all its connections, set saga.keeper.url)"),
        /** It took longer than anything may. */
        TOO_LONG("it lasts longer than its maximum"),
        /** This node closes: the row is to be given back, so that another one goes on at once. */
        CLOSING("this node closes");

        private final String reason;

        Stop(String reason) {
            this.reason = reason;
        }

        /**
         * The reason in words.
         *
         * @return a clause
         */
        public String reason() {
            return reason;
        }
    }

    private final HeldLease held;
    private final RenewableLeases table;
    private final Limits limits;
    private final ElapsedClock ticks;
    private final Runnable onClose;
    private final Duration since;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Duration renewed;
    private volatile @Nullable Stop stop;
    private volatile @Nullable Runnable watch;
    private final List<Runnable> listeners = new ArrayList<>();

    /** Who works, with how many pieces of work within one another. */
    private final Map<Thread, Integer> workers = new HashMap<>();

    private final Set<Thread> interrupted = new HashSet<>();
    private volatile boolean over;

    /**
     * How long work may last.
     *
     * @param window the silence after which another node may take the row
     * @param margin the time before the end of the window at which the work has to stop
     * @param maximum the time for which the row is renewed at most
     */
    record Limits(Duration window, Duration margin, Duration maximum) {}

    Hold(
            HeldLease held,
            RenewableLeases table,
            Limits limits,
            Duration since,
            ElapsedClock ticks,
            Hold.Closing closing) {
        this.held = held;
        this.table = table;
        this.limits = limits;
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
     * Runs foreign code, which is interrupted when it must stop. An interrupt of ours never outlives it. What is held may be
     * given up when it ends.
     *
     * @param work the code
     * @param <T> what it returns
     * @return what it returned
     * @throws Exception what it threw
     */
    public <T extends @Nullable Object> T during(Callable<T> work) throws Exception {
        return run(work, true);
    }

    /**
     * Runs some of the code for which it is held: it is held when that ends, too.
     *
     * @param work the code
     * @param <T> what it returns
     * @return what it returned
     * @throws Exception what it threw
     */
    public <T extends @Nullable Object> T callInterruptibly(Callable<T> work) throws Exception {
        return run(work, false);
    }

    private <T extends @Nullable Object> T run(Callable<T> work, boolean last) throws Exception {
        enter();
        try {
            return work.call();
        } finally {
            leave(last);
        }
    }

    /**
     * Says whether the row may be gone because this node has removed it: then nobody has taken it.
     *
     * @param over whether it may be
     */
    public void over(boolean over) {
        this.over = over;
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
     * Has somebody told when the work has to stop: at once if it has to already. Told on the keeper's thread, so that it
     * must not wait for anything.
     *
     * @param listener is told once
     */
    public void onStop(Runnable listener) {
        lock.lock();
        try {
            if (stop == null) {
                listeners.add(listener);
                return;
            }
        } finally {
            lock.unlock();
        }
        tell(listener);
    }

    /**
     * Has something looked after for as long as this is held, again and again. Called on the keeper's thread, so that it must
     * not wait for anything.
     *
     * @param look is called at each look at the clock
     */
    public void onWatch(Runnable look) {
        watch = look;
    }

    void watch() {
        Runnable look = watch;
        if (look != null) {
            tell(look);
        }
    }

    /** It is foreign code, and must not end the thread that tells the others. */
    private void tell(Runnable listener) {
        try {
            listener.run();
        } catch (Throwable failed) {
            logger.warn("Who was to be told that {} is lost has failed", held, failed);
        }
    }

    /**
     * What is held.
     *
     * @return the row and its token
     */
    public HeldLease held() {
        return held;
    }

    /**
     * The table that the row is in.
     *
     * @return the one that renews it
     */
    public RenewableLeases table() {
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
        return limits.window();
    }

    void renewedAt(Duration time) {
        renewed = time;
    }

    /** Judges by this node's clock alone, so that it works without the database. */
    void stopIfOverdue() {
        if (age().compareTo(limits.maximum()) > 0) {
            stop(Stop.TOO_LONG);
        } else if (ticks.now().minus(renewed).compareTo(limits.window().minus(limits.margin())) > 0) {
            stop(Stop.UNREACHABLE);
        }
    }

    /** Whether the work has ended: then it may have removed its row itself. */
    boolean isOver() {
        return over;
    }

    void stop(Stop reason) {
        List<Runnable> told = List.of();
        lock.lock();
        try {
            if (stop == null) {
                stop = reason;
                interrupted.addAll(workers.keySet());
                interrupted.forEach(Thread::interrupt);
                told = List.copyOf(listeners);
            }
        } finally {
            lock.unlock();
        }
        told.forEach(this::tell);
    }

    private void enter() throws InterruptedException {
        // The node may have been asleep since it took what it holds.
        stopIfOverdue();
        lock.lock();
        try {
            if (stop != null) {
                throw new InterruptedException("%s is no longer held: %s".formatted(held, stop));
            }
            workers.merge(Thread.currentThread(), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    private void leave(boolean last) {
        lock.lock();
        try {
            over |= last;
            Thread worker = Thread.currentThread();
            int around = workers.getOrDefault(worker, 1) - 1;
            if (around > 0) {
                workers.put(worker, around);
                return;
            }
            workers.remove(worker);
            if (interrupted.remove(worker)) {
                // It was meant for the work. The caller's thread goes on, and nobody has interrupted that.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
