package io.sagaspring.run.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
    private final @Nullable StartRate starts;
    private final @Nullable StartRate startsForEach;

    /** The faults of properties that could not be read. */
    private final List<String> unreadable;

    private RunQueue(
            String name,
            int atOnce,
            @Nullable Integer atOnceForEach,
            boolean keepsPermits,
            @Nullable StartRate starts,
            @Nullable StartRate startsForEach,
            List<String> unreadable) {
        this.name = name;
        this.atOnce = atOnce;
        this.atOnceForEach = atOnceForEach;
        this.keepsPermits = keepsPermits;
        this.starts = starts;
        this.startsForEach = startsForEach;
        this.unreadable = unreadable;
    }

    /**
     * Creates a queue in which up to 1,000 runs execute at the same time.
     *
     * @param name the name of the queue, with at most 100 characters
     * @return the queue
     */
    public static RunQueue named(String name) {
        return new RunQueue(name, QueueLimits.DEFAULT_AT_ONCE, null, false, null, null, List.of());
    }

    /**
     * Limits the runs of the queue that execute at the same time.
     *
     * @param runs the largest number of runs that execute at the same time
     * @return the queue with this limit
     */
    public RunQueue atOnce(int runs) {
        return new RunQueue(name, runs, atOnceForEach, keepsPermits, starts, startsForEach, unreadable);
    }

    /**
     * Limits the runs with the same key. With 1, the runs of a key execute one after the other.
     *
     * @param runs the largest number of runs with the same key that execute at the same time
     * @return the queue with this limit
     */
    public RunQueue atOnceForEach(int runs) {
        return new RunQueue(name, atOnce, runs, keepsPermits, starts, startsForEach, unreadable);
    }

    /**
     * Limits the runs that begin within a period. They begin evenly: with 100 per minute, at most one every 600 ms. A run that has waited
     * and begins again counts again.
     *
     * @param runs the largest number of runs that begin within the period
     * @param per the period
     * @return the queue with this limit
     */
    public RunQueue starts(int runs, Duration per) {
        return starts(runs, per, 1);
    }

    /**
     * Limits the runs that begin within a period, and allows some of them to begin at the same time. The burst counts
     * within the limit: with 100 per minute and a burst of 10, at most one of the other runs begins every 659 ms.
     *
     * @param runs the largest number of runs that begin within the period
     * @param per the period
     * @param burst the largest number of runs that begin at the same time
     * @return the queue with this limit
     */
    public RunQueue starts(int runs, Duration per, int burst) {
        StartRate rate = new StartRate(runs, per, burst);
        return new RunQueue(name, atOnce, atOnceForEach, keepsPermits, rate, startsForEach, unreadable);
    }

    /**
     * Limits the runs with the same key that begin within a period. They begin evenly.
     *
     * @param runs the largest number of runs with the same key that begin within the period
     * @param per the period
     * @return the queue with this limit
     */
    public RunQueue startsForEach(int runs, Duration per) {
        return startsForEach(runs, per, 1);
    }

    /**
     * Limits the runs with the same key that begin within a period, and allows some of them to begin at the same time.
     *
     * @param runs the largest number of runs with the same key that begin within the period
     * @param per the period
     * @param burst the largest number of runs with the same key that begin at the same time
     * @return the queue with this limit
     */
    public RunQueue startsForEach(int runs, Duration per, int burst) {
        StartRate rate = new StartRate(runs, per, burst);
        return new RunQueue(name, atOnce, atOnceForEach, keepsPermits, starts, rate, unreadable);
    }

    /**
     * Lets a run hold its permits also while it sleeps or waits for a signal. Together with {@code atOnceForEach(1)}, the runs of a key
     * also end in the order in which they begin, as long as none of them must wait for a person.
     *
     * @return the queue whose runs keep their permits
     */
    public RunQueue keepsPermits() {
        return new RunQueue(name, atOnce, atOnceForEach, true, starts, startsForEach, unreadable);
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
     * @throws IllegalArgumentException if no run could begin, or a limit is out of range or has no effect
     */
    public QueueLimits limits() {
        return new QueueLimits(atOnce, atOnceForEach, starts, startsForEach);
    }

    /**
     * Returns true if a run holds its permits while it waits.
     *
     * @return true if the run keeps its permits
     */
    public boolean isKeepingPermits() {
        return keepsPermits;
    }

    RunQueue with(Overrides overrides) {
        List<String> faults = new ArrayList<>(unreadable);
        return new RunQueue(
                name,
                overrides.atOnce() == null ? atOnce : overrides.atOnce(),
                overrides.atOnceForEach() == null ? atOnceForEach : overrides.atOnceForEach(),
                overrides.keepsPermits() == null ? keepsPermits : overrides.keepsPermits(),
                rate(starts, overrides.starts(), overrides.burst(), "", faults),
                rate(startsForEach, overrides.startsForEach(), overrides.burstForEach(), "-for-each", faults),
                faults);
    }

    private static @Nullable StartRate rate(
            @Nullable StartRate bean,
            @Nullable String text,
            @Nullable Integer burst,
            String suffix,
            List<String> faults) {
        StartRate rate = text == null ? bean : StartRate.parse(text);
        if (text != null && rate == null) {
            faults.add("starts%s=%s is no rate. Write a number, a slash and a duration, such as 100/1m."
                    .formatted(suffix, text));
        } else if (rate == null && burst != null) {
            faults.add("burst%s=%d has no effect without starts%s. Set starts%s, or remove burst%s."
                    .formatted(suffix, burst, suffix, suffix, suffix));
        }
        return rate == null || burst == null ? rate : rate.withBurst(burst);
    }

    /**
     * The properties of a queue, which replace the values of its bean.
     *
     * @param atOnce the largest number of runs that execute at the same time, or null to keep the bean's value
     * @param atOnceForEach the largest number of runs with the same key that execute at the same time, or null to keep
     *     the bean's value
     * @param keepsPermits true if a run holds its permits while it waits, or null to keep the bean's value
     * @param starts the largest number of runs that begin within a period, such as {@code 100/1m}, or null to keep the
     *     bean's value
     * @param burst the largest number of runs that begin at the same time, or null to keep the bean's value
     * @param startsForEach the largest number of runs with the same key that begin within a period, or null to keep the
     *     bean's value
     * @param burstForEach the largest number of runs with the same key that begin at the same time, or null to keep the
     *     bean's value
     */
    public record Overrides(
            @Nullable Integer atOnce,
            @Nullable Integer atOnceForEach,
            @Nullable Boolean keepsPermits,
            @Nullable String starts,
            @Nullable Integer burst,
            @Nullable String startsForEach,
            @Nullable Integer burstForEach) {}

    List<String> faults() {
        List<String> faults = new ArrayList<>();
        if (name.isBlank() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            String fault = name.isBlank()
                    ? "is empty or blank"
                    : name.length() > LONGEST_NAME ? "has %d characters".formatted(name.length()) : "contains NUL";
            faults.add("The name of queue '%s' %s. Use 1 to %d characters that are not all blank, without NUL."
                    .formatted(name, fault, LONGEST_NAME));
        }
        Stream.concat(unreadable.stream(), QueueLimits.faults(atOnce, atOnceForEach, starts, startsForEach).stream())
                .forEach(fault -> faults.add("Queue '%s': %s".formatted(name, fault)));
        return faults;
    }

    @Override
    public String toString() {
        return "%s%s".formatted(limits(), keepsPermits ? ", keeps-permits" : "");
    }
}
