package io.sagaspring.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the small background jobs of this node, each repeatedly at its own interval:
 *
 * <ol>
 *   <li>The first job starts the thread {@code saga-jobs-1}, and the second one starts {@code saga-jobs-2}. There
 *       are never more than two threads.
 *   <li>A free thread runs the job that has been due longest. No job runs twice at the same time.
 *   <li>A job that hangs occupies one thread. The other thread runs the remaining jobs.
 *   <li>The threads are {@link Loop}s, and a job stays in the list while it runs. So a job runs again whatever it
 *       throws, even an {@code OutOfMemoryError}.
 *   <li>The threads end when the last job is ended.
 * </ol>
 *
 * <p>A job must return quickly. A job that has more to do returns a pause of zero, and runs again after the other jobs
 * that are due. Work that a caller waits for is not a job, and runs on its own thread.
 *
 * @since 0.1.0
 */
public final class Jobs {

    private static final Logger logger = LoggerFactory.getLogger(Jobs.class);

    private static final int THREADS = 2;
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final Loops loops;
    private final List<Job> jobs = new ArrayList<>();
    private final List<Loop> threads = new ArrayList<>();

    /**
     * Creates a list that has neither jobs nor threads.
     *
     * @param loops the registry of this node's loops
     */
    public Jobs(Loops loops) {
        this.loops = loops;
    }

    /** A piece of work that runs repeatedly. */
    public final class Job {

        private final Loop.Turn turn;
        private final Duration afterFailure;
        private final Consumer<Throwable> failures;
        private long due = System.nanoTime();
        private @Nullable Thread worker;

        private Job(Loop.Turn turn, Duration afterFailure, Consumer<Throwable> failures) {
            this.turn = turn;
            this.afterFailure = afterFailure;
            this.failures = failures;
        }

        /** Interrupts the job if it is running, and never runs it again. */
        public void end() {
            Jobs.this.end(this);
        }
    }

    /**
     * Runs a job immediately, and again after each pause that it returns.
     *
     * @param turn the code of the job
     * @param afterFailure the pause after a failure
     * @param failures the consumer that logs an exception of the job
     * @return the job; end it when the node shuts down
     */
    public synchronized Job start(Loop.Turn turn, Duration afterFailure, Consumer<Throwable> failures) {
        Job job = new Job(turn, afterFailure, failures);
        jobs.add(job);
        try {
            if (threads.size() < Math.min(THREADS, jobs.size())) {
                threads.add(loops.start(
                        new Loop.Settings(
                                "saga-jobs-" + (threads.size() + 1), Duration.ZERO, AFTER_FAILURE, /* silence= */ null),
                        this::turn,
                        failed -> logger.warn("Choosing the next background job failed; will try again", failed)));
            }
        } catch (Throwable noThread) {
            end(job);
            throw noThread;
        }
        notifyAll();
        return job;
    }

    private synchronized void end(Job job) {
        if (!jobs.remove(job)) {
            return;
        }
        if (job.worker != null) {
            job.worker.interrupt();
        }
        if (jobs.isEmpty()) {
            threads.forEach(thread -> {
                thread.interrupt();
                loops.forget(thread);
            });
            threads.clear();
        }
    }

    private Duration turn() throws InterruptedException {
        Job job = take();
        Duration pause = job.afterFailure;
        try {
            pause = job.turn.take();
        } catch (Throwable failed) {
            if (isActive(job)) {
                report(job, failed);
            }
        } finally {
            putBack(job, pause);
        }
        return Duration.ZERO;
    }

    /** Logs a failure. If there is no memory left, logging fails as well, which must not end the thread.  */
    private static void report(Job job, Throwable failed) {
        try {
            job.failures.accept(failed);
        } catch (Throwable unreported) {
            return;
        }
    }

    /** Waits for a job that is due and that no other thread runs. */
    private synchronized Job take() throws InterruptedException {
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            long now = System.nanoTime();
            Job first = jobs.stream()
                    .filter(job -> job.worker == null)
                    .min(Comparator.comparingLong(job -> job.due - now))
                    .orElse(null);
            if (first == null) {
                wait();
            } else if (first.due - now > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, first.due - now);
            } else {
                first.worker = Thread.currentThread();
                return first;
            }
        }
    }

    private synchronized void putBack(Job job, Duration pause) {
        job.worker = null;
        job.due = System.nanoTime() + pause.toNanos();
        // Clear this thread's interrupt, which was meant for the job.
        boolean unused = Thread.interrupted();
        notifyAll();
    }

    private synchronized boolean isActive(Job job) {
        return jobs.contains(job);
    }
}
