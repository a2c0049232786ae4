package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Interrupts code that exceeds its timeout. The interrupt never outlasts the code for which it was meant. If others have interrupted the
 * thread before, their interrupt is kept. The timer and its thread are created for the first code that has a timeout.
 *
 * @since 0.1.0
 */
public final class Timeouts implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable ScheduledExecutorService timer;

    /** Creates an instance that has no thread until it calls code with a timeout. */
    public Timeouts() {}

    /**
     * Creates an instance that uses a given timer.
     *
     * @param timer the timer that interrupts the code
     */
    public Timeouts(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    private ScheduledExecutorService startedTimer() {
        lock.lock();
        try {
            ScheduledExecutorService started = timer == null ? timer() : timer;
            timer = started;
            return started;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Creates a timer with its own thread, not a thread of {@link io.sagaspring.fence.Jobs}, so that no waiting job can
     * delay an interrupt.
     */
    private static ScheduledExecutorService timer() {
        CustomizableThreadFactory factory = new CustomizableThreadFactory("saga-timeout-");
        factory.setDaemon(true);
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /**
     * Calls the code. If the code ends only after the timeout, a {@link TooLateException} replaces its result or its
     * exception. An error of the node, such as a lack of memory, is thrown nevertheless.
     *
     * @param timeout the longest time that the code may take, or null for no limit
     * @param work the code
     * @return the result of the code
     * @param <T> the type of the result
     * @throws Exception if the code throws it
     * @throws TooLateException if the timeout has passed when the code returns
     */
    public <T extends @Nullable Object> T within(@Nullable Duration timeout, Callable<T> work) throws Exception {
        if (timeout == null) {
            return work.call();
        }
        Alarm alarm = new Alarm(Thread.currentThread());
        ScheduledFuture<?> set =
                startedTimer().schedule(alarm::ring, TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        T result;
        try {
            result = work.call();
        } catch (Throwable failed) {
            if (alarm.stop() && !NodeErrors.is(failed)) {
                TooLateException late = tooLate(timeout);
                late.addSuppressed(failed);
                throw late;
            }
            throw failed;
        } finally {
            boolean unused = set.cancel(false);
        }
        if (alarm.stop()) {
            throw tooLate(timeout);
        }
        return result;
    }

    private static TooLateException tooLate(Duration timeout) {
        return new TooLateException(
                "The step's code did not return within its timeout of %s.".formatted(DurationText.of(timeout)));
    }

    /** Stops interrupting code. A later call with a timeout creates another timer. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (timer != null) {
                timer.shutdownNow();
                timer = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Thrown if code has exceeded its timeout. Only {@link Timeouts} creates this exception. */
    public static final class TooLateException extends Exception {

        private static final long serialVersionUID = 1L;

        TooLateException(String message) {
            super(message);
        }
    }

    private static final class Alarm {

        private final ReentrantLock lock = new ReentrantLock();
        private final Thread worker;
        private boolean over;
        private boolean rang;
        private boolean interrupted;

        Alarm(Thread worker) {
            this.worker = worker;
        }

        void ring() {
            lock.lock();
            try {
                if (!over) {
                    rang = true;
                    // Another interrupt is already pending. It also ends the code, and must stay set afterwards.
                    interrupted = !worker.isInterrupted();
                    if (interrupted) {
                        worker.interrupt();
                    }
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * Ends the timeout, and returns true if it has passed. If the timeout has interrupted the thread, also clears that interrupt,
         * because the code has returned.
         */
        boolean stop() {
            lock.lock();
            try {
                over = true;
                if (interrupted) {
                    Thread.interrupted();
                }
                return rang;
            } finally {
                lock.unlock();
            }
        }
    }
}
