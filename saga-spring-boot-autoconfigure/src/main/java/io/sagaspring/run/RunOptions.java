package io.sagaspring.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a run is started.
 *
 * @param key of which there is one run of its kind, as long as it is known
 * @param deadline after which it is told to stop
 * @since 0.1.0
 */
public record RunOptions(@Nullable String key, @Nullable Duration deadline) {

    static final RunOptions NONE = new RunOptions(null, null);

    private static final int LONGEST_KEY = 500;

    /**
     * Refuses what cannot be stored, or would never run.
     *
     * @param key of which there is one run of its kind
     * @param deadline after which it is told to stop
     */
    public RunOptions {
        if (key != null) {
            TextRules.requireName("The key of a run", key, LONGEST_KEY);
        }
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("A run cannot end within %s.".formatted(deadline));
        }
    }

    /**
     * Starts one run for a key: who starts it again is given the run that is there.
     *
     * @param key such as {@code "open:" + customer.id()}
     * @return options
     */
    public static RunOptions withKey(String key) {
        return new RunOptions(key, null);
    }

    /**
     * Gives a run a deadline.
     *
     * @param deadline how long it may take
     * @return options
     */
    public static RunOptions within(Duration deadline) {
        return new RunOptions(null, deadline);
    }

    /**
     * Gives a run a deadline, too.
     *
     * @param deadline how long it may take
     * @return options like these
     */
    public RunOptions andWithin(Duration deadline) {
        return new RunOptions(key, deadline);
    }
}
