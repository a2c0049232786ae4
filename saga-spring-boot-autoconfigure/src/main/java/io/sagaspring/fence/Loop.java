package io.sagaspring.fence;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a thread of the library that takes one turn after another until it is stopped. No exception from a turn ends the
 * thread, not even an {@code OutOfMemoryError} while the failure is logged.
 *
 * @since 0.1.0
 */
public final class Loop {

    private final Settings settings;
    private final Turn turn;
    private final Consumer<Throwable> failures;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean inTurn;
    private volatile long alive = System.nanoTime();

    /** The code that the loop runs in each turn. */
    @FunctionalInterface
    public interface Turn {

        /**
         * Runs one turn.
         *
         * @return the pause until the next turn
         * @throws Exception if the turn fails; then the next turn follows after the pause for failures
         */
        Duration take() throws Exception;
    }

    /**
     * The settings of a loop.
     *
     * @param name the name of the loop's thread
     * @param first the pause before the first turn
     * @param afterFailure the pause after a turn that failed
     * @param silence the duration after which the health check reports a turn that has not ended, or null for no limit
     */
    public record Settings(
            String name,
            Duration first,
            Duration afterFailure,
            @Nullable Duration silence) {}

    Loop(Settings settings, Turn turn, Consumer<Throwable> failures, ThreadFactory threads) {
        this.settings = settings;
        this.turn = turn;
        this.failures = failures;
        this.thread = threads.newThread(this::run);
        this.thread.setName(settings.name());
        this.thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Ends the loop after the current turn. */
    public void stop() {
        running = false;
        LockSupport.unpark(thread);
    }

    /** Interrupts the current turn and ends the loop. */
    public void interrupt() {
        stop();
        thread.interrupt();
    }

    /**
     * Waits until a loop that was stopped has ended.
     *
     * @param patience the longest time to wait
     * @return true if the loop has ended
     * @throws InterruptedException if the caller is interrupted
     */
    public boolean awaitEnd(Duration patience) throws InterruptedException {
        return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Records that the current turn has only waited until now. That time does not count as the duration of the turn.
     */
    public void onlyWaits() {
        alive = System.nanoTime();
    }

    String name() {
        return settings.name();
    }

    /**
     * Returns the time since the latest turn ended, or since the current one began or last called {@link #onlyWaits}.
     */
    Duration silentFor() {
        return Duration.ofNanos(System.nanoTime() - alive);
    }

    /** Returns true if the thread has ended although the loop was not stopped. */
    boolean isGone() {
        return running && thread.getState() == Thread.State.TERMINATED;
    }

    /** Returns true if the current turn has taken longer than the health check allows. */
    boolean isOverdue() {
        return running
                && inTurn
                && settings.silence() != null
                && silentFor().compareTo(Objects.requireNonNull(settings.silence())) > 0;
    }

    private void run() {
        try {
            pause(settings.first());
            while (running) {
                try {
                    pause(next());
                } catch (Throwable failed) {
                    // Call nothing here, because there may be no memory left and a second failure would end the loop.
                }
            }
        } finally {
            ended.countDown();
        }
    }

    private Duration next() {
        alive = System.nanoTime();
        inTurn = true;
        try {
            return turn.take();
        } catch (Throwable failed) {
            if (running) {
                report(failed);
            }
            return settings.afterFailure();
        } finally {
            inTurn = false;
            alive = System.nanoTime();
        }
    }

    /** Logs a failure. If there is no memory left, logging fails as well, which must not end the thread.  */
    private void report(Throwable failed) {
        try {
            failures.accept(failed);
        } catch (Throwable unreported) {
            return;
        }
    }

    private void pause(Duration pause) {
        long end = System.nanoTime() + pause.toNanos();
        for (long remaining = pause.toNanos(); remaining > 0 && running; remaining = end - System.nanoTime()) {
            LockSupport.parkNanos(this, remaining);
            // Clear an interrupt, which does not end the loop. Only stop() does.
            boolean unused = Thread.interrupted();
        }
    }
}
