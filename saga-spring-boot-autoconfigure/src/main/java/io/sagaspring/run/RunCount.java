package io.sagaspring.run;

/**
 * A number of runs that was counted up to a limit.
 *
 * @param number the number of runs, at most the limit
 * @param isMore true if there are more runs than the limit
 * @since 0.1.0
 */
public record RunCount(int number, boolean isMore) {

    /** The limit of a count for which the caller names no limit. */
    public static final int MOST = 10_000;

    private static final int HIGHEST_LIMIT = 1_000_000;

    /**
     * Returns the result of a count that stopped at the first run above its limit.
     *
     * @param counted the number of counted runs, at most one more than the limit
     * @param most the limit
     * @return the result
     */
    public static RunCount of(long counted, int most) {
        return new RunCount((int) Math.min(counted, most), counted > most);
    }

    /**
     * Checks a limit.
     *
     * @param most the limit
     * @return the limit
     * @throws IllegalArgumentException if the limit is not allowed
     */
    static int requireAllowed(int most) {
        if (most < 1 || most > HIGHEST_LIMIT) {
            throw new IllegalArgumentException(
                    "Runs cannot be counted up to %s. The limit must be from 1 to %s.".formatted(most, HIGHEST_LIMIT));
        }
        return most;
    }
}
