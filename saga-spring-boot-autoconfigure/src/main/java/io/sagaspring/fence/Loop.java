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
 * A thread of the library that takes one turn after another until it is stopped. Nothing that a turn throws ends the thread,
 * an {@code OutOfMemoryError} while its own failure is logged included.
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

    /** One turn. */
    @FunctionalInterface
    public interface Turn {

        /**
         * Does what is to be done now.
         *
         * @return the pause until the next turn
         * @throws Exception if it fails; the next turn comes after the pause for failures
         */
        Duration take() throws Exception;
    }

    /**
     * Describes a loop.
     *
     * @param name the name of its thread
     * @param first the pause before the first turn
     * @param afterFailure the pause after a turn that failed
     * @param silence how long a turn may last before health reports it, or null for as long as it likes
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

    /** Lets the current turn end, and takes no more. */
    public void stop() {
        running = false;
        LockSupport.unpark(thread);
    }

    /** Interrupts the current turn, and takes no more. */
    public void interrupt() {
        stop();
        thread.interrupt();
    }

    /**
     * Waits for the end of a loop that was stopped.
     *
     * @param patience the longest time to wait
     * @return whether it has ended
     * @throws InterruptedException if the caller is interrupted
     */
    public boolean awaitEnd(Duration patience) throws InterruptedException {
        return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Notes that the current turn only waits, as it may for as long as it likes. */
    public void onlyWaits() {
        alive = System.nanoTime();
    }

    String name() {
        return settings.name();
    }

    /** Returns the time since the latest turn ended, or the current one began. */
    Duration silentFor() {
        return Duration.ofNanos(System.nanoTime() - alive);
    }

    /** Returns whether the thread has gone although nobody has stopped it. */
    boolean isGone() {
        return running && thread.getState() == Thread.State.TERMINATED;
    }

    /** Returns whether a turn lasts for longer than any should. */
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
                    // Nothing is called here: what has failed may be the memory for that. The loop goes on.
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
                tell(failed);
            }
            return settings.afterFailure();
        } finally {
            inTurn = false;
            alive = System.nanoTime();
        }
    }

    /** Telling it is the first thing to fail when the memory is used up. */
    private void tell(Throwable failed) {
        try {
            failures.accept(failed);
        } catch (Throwable untold) {
            return;
        }
    }

    private void pause(Duration pause) {
        long end = System.nanoTime() + pause.toNanos();
        for (long left = pause.toNanos(); left > 0 && running; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            // Whoever wants it to end says so.
            boolean unused = Thread.interrupted();
        }
    }
}
