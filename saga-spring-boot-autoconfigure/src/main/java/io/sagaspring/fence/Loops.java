package io.sagaspring.fence;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * Keeps a registry of this node's loops. The health check uses the registry to report a loop whose thread has ended, or
 * whose current turn takes too long.
 *
 * @since 0.1.0
 */
public final class Loops {

    private final List<Loop> started = new CopyOnWriteArrayList<>();

    private final ThreadFactory threads;

    /** Creates an empty registry. */
    public Loops() {
        this(Thread::new);
    }

    Loops(ThreadFactory threads) {
        this.threads = threads;
    }

    /**
     * The state of a loop at one moment.
     *
     * @param name the name of the loop's thread
     * @param gone true if the thread has ended although the loop was not stopped
     * @param overdue true if the current turn has taken longer than the health check allows
     * @param silentFor the time since the latest turn ended, or since the current one began or last called {@link
     *     Loop#onlyWaits}
     */
    public record State(String name, boolean gone, boolean overdue, Duration silentFor) {}

    /**
     * Starts a loop.
     *
     * @param settings the loop's name and pauses
     * @param turn the code of a turn
     * @param failures the consumer that logs an exception of a turn
     * @return the loop; stop it and {@linkplain #forget remove} it when the node shuts down
     */
    public Loop start(Loop.Settings settings, Loop.Turn turn, Consumer<Throwable> failures) {
        Loop loop = new Loop(settings, turn, failures, threads);
        started.add(loop);
        try {
            loop.start();
        } catch (Throwable noThread) {
            forget(loop);
            throw noThread;
        }
        return loop;
    }

    /**
     * Stops a loop if it has not been stopped yet, and removes the loop from the registry.
     *
     * @param loop the loop
     */
    public void forget(Loop loop) {
        loop.stop();
        started.remove(loop);
    }

    /**
     * Returns the states of all loops that were started and not removed.
     *
     * @return the states of these loops
     */
    public List<State> states() {
        return started.stream()
                .map(loop -> new State(loop.name(), loop.isGone(), loop.isOverdue(), loop.silentFor()))
                .toList();
    }
}
