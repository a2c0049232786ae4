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

    /** Stands for a thread of the pool. */
    static final CallersThread NONE = new CallersThread(null);

    /** The longest chain of causes that is examined, because a chain may be a circle. */
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
     * Returns true if the thread was interrupted. First make sure that the interrupt was not one of the library: {@link
     * io.sagaspring.fence.Hold#stop()} is null.
     */
    boolean isInterrupted() {
        return interrupted || (thread != null && thread.isInterrupted());
    }

    /**
     * Returns true if the thread was interrupted, or if the failure says so. Code that throws such a failure often clears the flag. An {@link
     * java.io.InterruptedIOException} does not say so, because HTTP clients also throw it for a time-out. They set the flag if the thread
     * was interrupted.
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

    /** Remembers that others have interrupted the thread, unless this is a thread of the pool. */
    void interrupted() {
        interrupted |= thread != null;
    }

    /** Clears the interrupt after the code has ended, and remembers it. The state of the run is then written without being interrupted. */
    void takeInterrupt() {
        if (thread != null && Thread.interrupted()) {
            interrupted();
        }
    }
}
