package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
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

    static final RunOptions NONE = new RunOptions(null, null);

    private static final int LONGEST_KEY = 500;

    private final @Nullable String key;
    private final @Nullable Duration deadline;

    private RunOptions(@Nullable String key, @Nullable Duration deadline) {
        this.key = key;
        this.deadline = deadline;
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
     * Adds a key to these options.
     *
     * @param key identifies at most one run of its class, until that run is removed after its end
     * @return these options with the key
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     */
    public RunOptions andKey(String key) {
        TextRules.requireName("The key of a run", key, LONGEST_KEY);
        return new RunOptions(key, deadline);
    }

    /**
     * Adds a deadline to these options.
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
        return new RunOptions(key, deadline);
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

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunOptions that
                && Objects.equals(key, that.key)
                && Objects.equals(deadline, that.deadline);
    }

    @Override
    public int hashCode() {
        return Objects.hash(key, deadline);
    }

    @Override
    public String toString() {
        return "RunOptions[key=%s, deadline=%s]".formatted(key, deadline);
    }
}
