package io.sagaspring.run.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Declares a queue. Its runs execute only within the queue's limits, which hold over all nodes. Declare a bean:
 *
 * <pre>{@code
 * @Bean
 * RunQueue psp() {
 *     return RunQueue.named("psp").atOnce(50).atOnceForEach(2);
 * }
 * }</pre>
 *
 * <p>The limits are checked when the application starts, all together.
 *
 * @since 0.1.0
 */
public final class RunQueue {

    private static final int LONGEST_NAME = 100;

    private final String name;
    private final int atOnce;
    private final @Nullable Integer atOnceForEach;
    private final boolean keepsPermits;

    private RunQueue(String name, int atOnce, @Nullable Integer atOnceForEach, boolean keepsPermits) {
        this.name = name;
        this.atOnce = atOnce;
        this.atOnceForEach = atOnceForEach;
        this.keepsPermits = keepsPermits;
    }

    /**
     * Names a queue in which up to 1,000 runs execute at once.
     *
     * @param name the name of the queue, with at most 100 characters
     * @return the queue
     */
    public static RunQueue named(String name) {
        return new RunQueue(name, QueueLimits.DEFAULT_AT_ONCE, null, false);
    }

    /**
     * Limits the runs of the queue.
     *
     * @param runs the largest number of runs that execute at once
     * @return the queue with this limit
     */
    public RunQueue atOnce(int runs) {
        return new RunQueue(name, runs, atOnceForEach, keepsPermits);
    }

    /**
     * Limits the runs with the same key. With 1, the runs of a key execute one after the other.
     *
     * @param runs the largest number of runs with the same key that execute at once
     * @return the queue with this limit
     */
    public RunQueue atOnceForEach(int runs) {
        return new RunQueue(name, atOnce, runs, keepsPermits);
    }

    /**
     * Lets a run hold its permits also while it sleeps or waits for a signal. Together with {@code atOnceForEach(1)}, the runs of a key
     * also end in the order of their starts.
     *
     * @return the queue whose runs keep their permits
     */
    public RunQueue keepsPermits() {
        return new RunQueue(name, atOnce, atOnceForEach, true);
    }

    /**
     * Returns the name of the queue.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns the limits of the queue.
     *
     * @return the limits
     * @throws IllegalArgumentException if no run could begin, or a limit has no effect
     */
    public QueueLimits limits() {
        return new QueueLimits(atOnce, atOnceForEach);
    }

    /**
     * Tells whether a run holds its permits while it waits.
     *
     * @return true if it does
     */
    public boolean isKeepingPermits() {
        return keepsPermits;
    }

    RunQueue with(Overrides overrides) {
        return new RunQueue(
                name,
                overrides.atOnce() == null ? atOnce : overrides.atOnce(),
                overrides.atOnceForEach() == null ? atOnceForEach : overrides.atOnceForEach(),
                overrides.keepsPermits() == null ? keepsPermits : overrides.keepsPermits());
    }

    /**
     * The properties of a queue that replace those of its bean.
     *
     * @param atOnce the largest number of runs, or null to keep it
     * @param atOnceForEach the largest number of runs with the same key, or null to keep it
     * @param keepsPermits true if a run holds its permits while it waits, or null to keep it
     */
    public record Overrides(
            @Nullable Integer atOnce,
            @Nullable Integer atOnceForEach,
            @Nullable Boolean keepsPermits) {}

    List<String> faults() {
        List<String> faults = new ArrayList<>();
        if (name.isBlank() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            faults.add(
                    "The name of queue '%s' has %d characters. Use 1 to %d characters that are not all blank, without NUL."
                            .formatted(name, name.length(), LONGEST_NAME));
        }
        QueueLimits.faults(atOnce, atOnceForEach).forEach(fault -> faults.add("Queue '%s': %s".formatted(name, fault)));
        return faults;
    }

    @Override
    public String toString() {
        return "%s%s".formatted(limits(), keepsPermits ? ", keeps-permits" : "");
    }
}
