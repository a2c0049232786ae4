package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
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

    static final RunOptions NONE = new RunOptions(null, null, null, Map.of());

    private static final int LONGEST_KEY = 500;

    private final @Nullable String key;
    private final @Nullable Duration deadline;
    private final @Nullable StartTime startTime;
    private final Map<String, String> labels;

    private RunOptions(
            @Nullable String key,
            @Nullable Duration deadline,
            @Nullable StartTime startTime,
            Map<String, String> labels) {
        this.key = key;
        this.deadline = deadline;
        this.startTime = startTime;
        this.labels = labels;
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
     * @return options with this key
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public static RunOptions withKey(String key) {
        return NONE.andKey(key);
    }

    /**
     * Sets a deadline.
     *
     * @param deadline the time after which the run is asked to stop
     * @return options with this deadline
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
     * Labels the run. {@link RunQuery#withLabel} finds it.
     *
     * @param name the name of the label, such as {@code "customer"}
     * @param value the value of the label
     * @return options with this label
     * @throws InvalidNameException if the name or the value is not allowed
     */
    public static RunOptions label(String name, String value) {
        return NONE.andLabel(name, value);
    }

    /**
     * Adds a key to these options.
     *
     * @param key identifies at most one run of its class, until that run is removed after its end
     * @return these options with the key
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public RunOptions andKey(String key) {
        TextRules.requireName("The key of a run", key, LONGEST_KEY);
        return new RunOptions(key, deadline, startTime, labels);
    }

    /**
     * Adds a deadline to these options. If the run begins later, the deadline counts from that time.
     *
     * @param deadline the time after which the run is asked to stop
     * @return these options with the deadline
     * @throws IllegalArgumentException if the deadline is not positive
     */
    public RunOptions andWithin(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException(
                    "The deadline of a run must be positive, but is %s.".formatted(DurationText.of(deadline)));
        }
        return new RunOptions(key, deadline, startTime, labels);
    }

    /**
     * Adds a delay to these options. It replaces an earlier delay or time.
     *
     * @param delay the time after which the run begins
     * @return these options with the delay
     * @throws IllegalArgumentException if the delay is negative
     */
    public RunOptions andAfter(Duration delay) {
        return new RunOptions(key, deadline, StartTime.after(delay), labels);
    }

    /**
     * Adds a time to these options. It replaces an earlier delay or time.
     *
     * @param time the time at which the run begins; if it has passed, the run begins at once
     * @return these options with the time
     * @throws IllegalArgumentException if the time cannot be stored
     */
    public RunOptions andAt(Instant time) {
        return new RunOptions(key, deadline, StartTime.at(time), labels);
    }

    /**
     * Adds a label to these options. It replaces an earlier label of that name. If the start finds an existing run with its key, that run
     * keeps its own labels.
     *
     * @param name the name of the label: a letter, followed by at most 99 letters, digits, dots, hyphens or underscores
     * @param value the value of the label, of at most {@value Labels#LONGEST_VALUE} characters; anyone who may list runs can see it
     * @return these options with the label
     * @throws InvalidNameException if the name or the value is not allowed, or there are more than {@value Labels#MOST} labels
     */
    public RunOptions andLabel(String name, String value) {
        return new RunOptions(key, deadline, startTime, Labels.with(labels, name, value));
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

    /**
     * Returns the labels.
     *
     * @return the value of each label, by its name
     */
    public Map<String, String> labels() {
        return labels;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunOptions that
                && Objects.equals(key, that.key)
                && Objects.equals(deadline, that.deadline)
                && Objects.equals(startTime, that.startTime)
                && labels.equals(that.labels);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, deadline, startTime, labels);
    }

    @Override
    public String toString() {
        return "RunOptions[key=%s, deadline=%s, startTime=%s, labels=%s]".formatted(key, deadline, startTime, labels);
    }
}
