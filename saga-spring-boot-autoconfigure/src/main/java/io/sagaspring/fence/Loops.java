package io.sagaspring.fence;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * Knows every loop of this node, so that health can report one that is gone.
 *
 * @since 0.1.0
 */
public final class Loops {

    private final List<Loop> started = new CopyOnWriteArrayList<>();

    private final ThreadFactory threads;

    /** Creates a registry without loops. */
    public Loops() {
        this(Thread::new);
    }

    Loops(ThreadFactory threads) {
        this.threads = threads;
    }

    /**
     * Describes a loop at this moment.
     *
     * @param name the name of its thread
     * @param gone whether the thread has ended although nobody has stopped it
     * @param overdue whether its current turn lasts for longer than any should
     * @param silentFor the time since its latest turn ended, or its current one began
     */
    public record State(String name, boolean gone, boolean overdue, Duration silentFor) {}

    /**
     * Starts a loop.
     *
     * @param settings its name and its pauses
     * @param turn what it does again and again
     * @param failures logs what a turn has thrown
     * @return to be stopped when the node closes, and then to be {@linkplain #forget forgotten}
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
     * Removes a loop that was stopped.
     *
     * @param loop the loop
     */
    public void forget(Loop loop) {
        loop.stop();
        started.remove(loop);
    }

    /**
     * Shows every loop that was started and not stopped.
     *
     * @return their states
     */
    public List<State> states() {
        return started.stream()
                .map(loop -> new State(loop.name(), loop.isGone(), loop.isOverdue(), loop.silentFor()))
                .toList();
    }
}
