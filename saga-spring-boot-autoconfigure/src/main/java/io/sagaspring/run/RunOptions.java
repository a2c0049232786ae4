package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options for starting a run. Options do not change: each method returns new ones.
 *
 * <pre>{@code
 * runs.start(OpenAccount.class, customer, RunOptions.withKey("open:" + customer.id()).andWithin(Duration.ofDays(1)));
 * }</pre>
 *
 * @since 0.1.0
 */
public final class RunOptions {

    static final RunOptions NONE = new RunOptions(null, null, null);

    private static final int LONGEST_KEY = 500;

    private final @Nullable String key;
    private final @Nullable Duration deadline;
    private final @Nullable StartTime startTime;

    private RunOptions(@Nullable String key, @Nullable Duration deadline, @Nullable StartTime startTime) {
        this.key = key;
        this.deadline = deadline;
        this.startTime = startTime;
    }

    /**
     * Returns options that set nothing.
     *
     * @return the options of a run without a key and without a deadline
     */
    public static RunOptions none() {
        return NONE;
    }

    /**
     * Sets a key. Starting a run with the same key again returns the existing run.
     *
     * @param key the key, such as {@code "open:" + customer.id()}
     * @return the options with this key
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public static RunOptions withKey(String key) {
        return NONE.andKey(key);
    }

    /**
     * Sets a deadline.
     *
     * @param deadline the time from the start after which the run is stopped
     * @return the options with this deadline
     * @throws IllegalArgumentException if the deadline is not positive
     */
    public static RunOptions within(Duration deadline) {
        return NONE.andWithin(deadline);
    }

    /**
     * Lets the run begin later.
     *
     * @param delay the time after which the run begins
     * @return options with this delay
     * @throws IllegalArgumentException if the delay is negative
     */
    public static RunOptions after(Duration delay) {
        return NONE.andAfter(delay);
    }

    /**
     * Lets the run begin at a time. The database clock decides when that time has come.
     *
     * @param time the time at which the run begins; if it has passed, the run begins at once
     * @return options with this time
     * @throws IllegalArgumentException if the time cannot be stored
     */
    public static RunOptions at(Instant time) {
        return NONE.andAt(time);
    }

    /**
     * Adds a key to these options.
     *
     * @param key a key that identifies at most one run of a class, until that run is removed after its end
     * @return these options with the key
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public RunOptions andKey(String key) {
        TextRules.requireName("The key of a run", key, LONGEST_KEY);
        return new RunOptions(key, deadline, startTime);
    }

    /**
     * Adds a deadline to these options. If you also set a delay or a time, the deadline counts from the time at which
     * the run begins.
     *
     * @param deadline the time from the start after which the run is stopped
     * @return these options with the deadline
     * @throws IllegalArgumentException if the deadline is not positive
     */
    public RunOptions andWithin(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "The deadline of a run must be positive, but is %s.".formatted(DurationText.of(deadline)));
        }
        return new RunOptions(key, deadline, startTime);
    }

    /**
     * Adds a delay to these options. It replaces a delay or time that was set before.
     *
     * @param delay the time after which the run begins
     * @return these options with the delay
     * @throws IllegalArgumentException if the delay is negative
     */
    public RunOptions andAfter(Duration delay) {
        return new RunOptions(key, deadline, StartTime.after(delay));
    }

    /**
     * Adds a time to these options. It replaces a delay or time that was set before.
     *
     * @param time the time at which the run begins; if it has passed, the run begins at once
     * @return these options with the time
     * @throws IllegalArgumentException if the time cannot be stored
     */
    public RunOptions andAt(Instant time) {
        return new RunOptions(key, deadline, StartTime.at(time));
    }

    /**
     * Returns the key.
     *
     * @return the key, or null for none
     */
    public @Nullable String key() {
        return key;
    }

    /**
     * Returns the deadline.
     *
     * @return the time after which the run is asked to stop, or null for none
     */
    public @Nullable Duration deadline() {
        return deadline;
    }

    /**
     * Returns the time at which the run begins.
     *
     * @return the time, or null if the run begins at once
     */
    public @Nullable StartTime startTime() {
        return startTime;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunOptions that
                && Objects.equals(key, that.key)
                && Objects.equals(deadline, that.deadline)
                && Objects.equals(startTime, that.startTime);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, deadline, startTime);
    }

    @Override
    public String toString() {
        return "RunOptions[key=%s, deadline=%s, startTime=%s]".formatted(key, deadline, startTime);
    }
}
