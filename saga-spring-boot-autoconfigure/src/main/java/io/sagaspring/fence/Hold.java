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
 * A lease that this node holds while the application's code works under it. When the code must stop, the keeper
 * interrupts this code and no other.
 *
 * @since 0.1.0
 */
public final class Hold implements AutoCloseable {

    private static final Logger logger = LoggerFactory.getLogger(Hold.class);

    /** A reason why the work must stop. */
    public enum Stop {
        /** Another node or a janitor has taken over, or a person has released the lease. */
        TAKEN("it was taken over, or a person released it"),
        /** The database was unreachable for so long that another node may have taken over. */
        UNREACHABLE(
                "the database could not be reached in time (if a pooler had no free connection, set saga.keeper.url to bypass it)"),
        /** The work has exceeded its maximum duration. */
        TOO_LONG("it has exceeded its maximum duration"),
        /** This node is shutting down. The work stops and releases its lease, so that another node can continue at once. */
        CLOSING("this node is shutting down");

        private final String reason;

        Stop(String reason) {
            this.reason = reason;
        }

        /**
         * Returns the reason as text.
         *
         * @return a clause for a message
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
    private final boolean ofRequest;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Duration renewed;
    private volatile @Nullable Stop stop;
    private volatile @Nullable Runnable watch;
    private final List<Runnable> listeners = new ArrayList<>();

    /** The threads that execute the work, each with its number of nested calls. */
    private final Map<Thread, Integer> workers = new HashMap<>();

    private final Set<Thread> interrupted = new HashSet<>();
    private volatile boolean ending;

    /**
     * The time limits of the work.
     *
     * @param ttl the time after which another owner may take over, measured from the last heartbeat
     * @param margin the time by which the work must stop before the ttl ends
     * @param maximum the maximum duration of the work under the lease
     */
    record Limits(Duration ttl, Duration margin, Duration maximum) {}

    Hold(
            HeldLease held,
            RenewableLeases table,
            Limits limits,
            Duration since,
            ElapsedClock ticks,
            Hold.Closing closing,
            boolean ofRequest) {
        this.held = held;
        this.table = table;
        this.limits = limits;
        this.ticks = ticks;
        this.onClose = () -> closing.closed(this);
        this.since = since;
        this.renewed = since;
        this.ofRequest = ofRequest;
    }

    /** A listener that is notified when the hold is closed. */
    @FunctionalInterface
    interface Closing {
        void closed(Hold hold);
    }

    /**
     * Runs code after which nothing else needs the lease, and interrupts that code when it must stop. If the keeper's
     * interrupt is still pending when the code ends, this method clears that interrupt. After the code has ended, a
     * missing row of the lease no longer means that another owner took over.
     *
     * @param work the code
     * @param <T> the type of the result
     * @return the result of the code
     * @throws Exception if the code throws it; an {@link InterruptedException} if the lease is no longer held
     */
    public <T extends @Nullable Object> T during(Callable<T> work) throws Exception {
        return run(work, true);
    }

    /**
     * Runs code under the lease, and interrupts that code when it must stop. The lease is still needed after the code
     * has ended.
     *
     * @param work the code
     * @param <T> the type of the result
     * @return the result of the code
     * @throws Exception if the code throws it; an {@link InterruptedException} if the lease is no longer held
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
     * Sets whether this node may have ended the lease itself. If so, a missing row does not mean that another owner
     * took over.
     *
     * @param ending true if this node may have ended the lease
     */
    public void setEnding(boolean ending) {
        this.ending = ending;
    }

    /**
     * Returns the reason why the work must stop.
     *
     * @return the reason, or null if the work may continue
     */
    public @Nullable Stop stop() {
        return stop;
    }

    /**
     * Calls a listener when the work must stop, or immediately if the work must already stop. The listener usually runs
     * on the keeper's thread and must not block.
     *
     * @param listener the listener, which is called once
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
        call(listener);
    }

    /**
     * Calls a check repeatedly while the lease is held. The check runs on the keeper's threads and must not block.
     *
     * @param check the check, which is called each time the keeper checks the time-outs
     */
    public void onWatch(Runnable check) {
        watch = check;
    }

    void watch() {
        Runnable check = watch;
        if (check != null) {
            call(check);
        }
    }

    /** Calls a listener or a check. Catches every exception, because the thread also calls the other listeners. */
    private void call(Runnable listener) {
        try {
            listener.run();
        } catch (Throwable failed) {
            logger.warn("A listener or check for {} threw an exception", held, failed);
        }
    }

    /**
     * Returns the lease that is held.
     *
     * @return the lease and its token
     */
    public HeldLease held() {
        return held;
    }

    /**
     * Returns the table or store that renews the lease.
     *
     * @return the table or store
     */
    public RenewableLeases table() {
        return table;
    }

    /**
     * Returns true if the lease was acquired in a web request. At shutdown, the web server waits for such requests, so
     * their work is interrupted later than other work.
     *
     * @return true if a request does the work
     */
    public boolean isOfRequest() {
        return ofRequest;
    }

    /**
     * Returns how long the lease has been held.
     *
     * @return the elapsed time on this node
     */
    public Duration age() {
        return ticks.now().minus(since);
    }

    @Override
    public void close() {
        onClose.run();
    }

    void renewedAt(Duration time) {
        renewed = time;
    }

    /** Stops the work if a time limit has passed by this node's clock. This check does not use the database. */
    void stopIfOverdue() {
        if (age().compareTo(limits.maximum()) > 0) {
            stop(Stop.TOO_LONG);
        } else if (ticks.now().minus(renewed).compareTo(limits.ttl().minus(limits.margin())) > 0) {
            stop(Stop.UNREACHABLE);
        }
    }

    /**
     * Returns true if the work has ended or is ending. In that case, this node may have removed the lease's row itself.
     */
    boolean isEnding() {
        return ending;
    }

    void stop(Stop reason) {
        List<Runnable> called = List.of();
        lock.lock();
        try {
            if (stop == null) {
                stop = reason;
                interrupted.addAll(workers.keySet());
                interrupted.forEach(Thread::interrupt);
                called = List.copyOf(listeners);
            }
        } finally {
            lock.unlock();
        }
        called.forEach(this::call);
    }

    /**
     * Clears an interrupt of the calling thread that did not come from this hold. Leaves the thread interrupted if the work must stop.
     *
     * @return true if there was such an interrupt
     */
    public boolean takeForeignInterrupt() {
        // Hold the lock, so that the keeper cannot stop the work after the check and before the interrupt is cleared.
        lock.lock();
        try {
            return stop == null && Thread.interrupted();
        } finally {
            lock.unlock();
        }
    }

    private void enter() throws InterruptedException {
        // Check the time limits first, because the node may have been paused since it acquired the lease.
        stopIfOverdue();
        lock.lock();
        try {
            if (stop != null) {
                throw new InterruptedException("%s is no longer held: %s".formatted(held, stop.reason()));
            }
            workers.merge(Thread.currentThread(), 1, Integer::sum);
        } finally {
            lock.unlock();
        }
    }

    private void leave(boolean last) {
        lock.lock();
        try {
            ending |= last;
            Thread worker = Thread.currentThread();
            int outer = workers.getOrDefault(worker, 1) - 1;
            if (outer > 0) {
                workers.put(worker, outer);
                return;
            }
            workers.remove(worker);
            if (interrupted.remove(worker)) {
                // Clear the keeper's interrupt, which was meant only for the work. This thread now returns to its
                // caller.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
