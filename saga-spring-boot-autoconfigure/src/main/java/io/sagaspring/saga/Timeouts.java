package io.sagaspring.saga;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Interrupts what takes too long. Nothing but that: an interrupt never outlives the work that it was meant for. */
final class Timeouts implements AutoCloseable {

    private final ScheduledExecutorService timer;

    Timeouts() {
        this(timer());
    }

    Timeouts(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** A thread of its own, and none of {@link io.sagaspring.fence.Jobs}: an alarm rings on time, whatever a job waits for. */
    private static ScheduledExecutorService timer() {
        CustomizableThreadFactory factory = new CustomizableThreadFactory("saga-timeout-");
        factory.setDaemon(true);
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** What comes after the time is discarded, also if it is a result. */
    <T extends @Nullable Object> T within(@Nullable Duration timeout, Callable<T> work) throws Exception {
        if (timeout == null) {
            return work.call();
        }
        Alarm alarm = new Alarm(Thread.currentThread());
        ScheduledFuture<?> set = timer.schedule(alarm::ring, timeout.toNanos(), TimeUnit.NANOSECONDS);
        T result;
        try {
            result = work.call();
        } catch (Throwable failed) {
            if (alarm.stop()) {
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
        return new TooLateException("It was not over after %s.".formatted(timeout));
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** Not what a body throws by itself. */
    static final class TooLateException extends Exception {

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

        Alarm(Thread worker) {
            this.worker = worker;
        }

        void ring() {
            lock.lock();
            try {
                if (!over) {
                    rang = true;
                    worker.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        /** Whether it rang. The work is over: its interrupt ends with it. */
        boolean stop() {
            lock.lock();
            try {
                over = true;
                if (rang) {
                    Thread.interrupted();
                }
                return rang;
            } finally {
                lock.unlock();
            }
        }
    }
}
