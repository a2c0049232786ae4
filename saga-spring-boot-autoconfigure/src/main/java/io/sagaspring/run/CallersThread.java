package io.sagaspring.run;

import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a caller that executes a run itself ({@link DirectExecution}). Only the library interrupts a thread of its pool, but
 * others may interrupt this thread, for example a web server that shuts down. Such an interrupt does not fail the run: the run is
 * released, and any node continues it.
 */
final class CallersThread {

    /** Used when a thread of the pool executes the run. It never reports an interrupt. */
    static final CallersThread NONE = new CallersThread(null);

    /**
     * The greatest number of causes that are examined. A chain of causes may be endless, because an exception may be a
     * cause of its own cause.
     */
    private static final int MOST_CAUSES = 20;

    private final @Nullable Thread thread;
    private boolean interrupted;

    private CallersThread(@Nullable Thread thread) {
        this.thread = thread;
    }

    static CallersThread current() {
        return new CallersThread(Thread.currentThread());
    }

    /**
     * Returns true if the thread was interrupted. The caller must also check that {@link
     * io.sagaspring.fence.Hold#stop()} is null. If it is not null, the interrupt came from the library.
     */
    boolean isInterrupted() {
        return interrupted || (thread != null && thread.isInterrupted());
    }

    /**
     * Returns true if the thread was interrupted, or if the failure or one of its causes reports an interrupt. Code
     * that throws such a failure often clears the thread's interrupt flag. An {@link java.io.InterruptedIOException}
     * does not count, because HTTP clients also throw it for a time-out. They set the flag if the thread was
     * interrupted.
     */
    boolean isInterrupted(Throwable failure) {
        interrupted |= thread != null && reportsInterrupt(failure);
        return isInterrupted();
    }

    private static boolean reportsInterrupt(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MOST_CAUSES && !isOfAnotherThread(cause); depth++) {
            if (cause instanceof InterruptedException || cause instanceof ClosedByInterruptException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** Returns true if the causes of a failure happened on another thread. */
    private static boolean isOfAnotherThread(Throwable failure) {
        return failure instanceof ExecutionException || failure instanceof CompletionException;
    }

    /** Records an interrupt that did not come from the library. Does nothing for a thread of the pool. */
    void interrupted() {
        interrupted |= thread != null;
    }

    /**
     * Clears the thread's interrupt flag after the code has ended, and remembers the interrupt. So the interrupt does
     * not disturb the write of the run's state.
     */
    void takeInterrupt() {
        if (thread != null && Thread.interrupted()) {
            interrupted();
        }
    }
}
