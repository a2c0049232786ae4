package io.sagaspring.run;

import io.sagaspring.fence.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options for starting a run.
 *
 * @param key the key, which identifies at most one run of its class until that run is removed after its end; null for
 *     none
 * @param deadline the time from the start after which the run is stopped, or null for none
 * @since 0.1.0
 */
public record RunOptions(@Nullable String key, @Nullable Duration deadline) {

    static final RunOptions NONE = new RunOptions(null, null);

    private static final int LONGEST_KEY = 500;

    /**
     * Checks the key and the deadline.
     *
     * @param key the key, which identifies at most one run of its class, or null
     * @param deadline the time from the start after which the run is stopped, or null
     * @throws InvalidNameException if the key is blank or too long, or contains a character that cannot be stored
     * @throws IllegalArgumentException if the deadline is not positive
     */
    public RunOptions {
        if (key != null) {
            TextRules.requireName("The key of a run", key, LONGEST_KEY);
        }
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException(
                    "The deadline of a run must be positive, but is %s.".formatted(DurationText.of(deadline)));
        }
    }

    /**
     * Sets a key. Starting a run with the same key again returns the existing run.
     *
     * @param key the key, such as {@code "open:" + customer.id()}
     * @return the options with this key
     */
    public static RunOptions withKey(String key) {
        return new RunOptions(key, null);
    }

    /**
     * Sets a deadline.
     *
     * @param deadline the time from the start after which the run is stopped
     * @return the options with this deadline
     */
    public static RunOptions within(Duration deadline) {
        return new RunOptions(null, deadline);
    }

    /**
     * Adds a deadline to these options.
     *
     * @param deadline the time from the start after which the run is stopped
     * @return these options with the deadline
     */
    public RunOptions andWithin(Duration deadline) {
        return new RunOptions(key, deadline);
    }
}
