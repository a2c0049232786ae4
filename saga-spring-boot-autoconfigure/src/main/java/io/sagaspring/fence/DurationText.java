package io.sagaspring.fence;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Formats durations in a readable form: {@code 450 ms}, {@code 7.6 s}, {@code 1 min 30 s}, {@code 2 h},
 * {@code 3 d 4 h}.
 *
 * @since 0.1.0
 */
public final class DurationText {

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private DurationText() {}

    /**
     * Formats a duration.
     *
     * @param duration the duration
     * @return the text, with at most two units
     */
    public static String of(Duration duration) {
        if (duration.toSeconds() == Long.MIN_VALUE) {
            return duration.toString();
        }
        if (duration.isNegative()) {
            return "-" + of(duration.negated());
        }
        long millis = duration.toSeconds() > Long.MAX_VALUE / SECOND ? Long.MAX_VALUE : duration.toMillis();
        if (millis == 0) {
            return "0 s";
        }
        if (millis < SECOND) {
            return millis + " ms";
        }
        if (millis < 10 * SECOND && millis % SECOND >= 100) {
            return millis / SECOND + "." + millis % SECOND / 100 + " s";
        }
        if (millis < MINUTE) {
            return millis / SECOND + " s";
        }
        if (millis < HOUR) {
            return both(millis / MINUTE, "min", millis % MINUTE / SECOND, "s");
        }
        if (millis < DAY) {
            return both(millis / HOUR, "h", millis % HOUR / MINUTE, "min");
        }
        return both(millis / DAY, "d", millis % DAY / HOUR, "h");
    }

    /**
     * Formats a duration without rounding, in the largest unit that gives a whole number. Use this method if the reader
     * compares the text with another value.
     *
     * @param duration the duration
     * @return a number and its unit, such as {@code 10500 ms}, or the ISO-8601 text if milliseconds do not suffice
     */
    public static String exactly(Duration duration) {
        long most = Long.MAX_VALUE / SECOND - 1;
        if (duration.toSeconds() > most
                || duration.toSeconds() < -most
                || !duration.truncatedTo(ChronoUnit.MILLIS).equals(duration)) {
            return duration.toString();
        }
        long millis = duration.toMillis();
        if (millis % SECOND != 0) {
            return millis + " ms";
        }
        if (millis % MINUTE != 0 || millis == 0) {
            return millis / SECOND + " s";
        }
        if (millis % HOUR != 0) {
            return millis / MINUTE + " min";
        }
        return millis % DAY != 0 ? millis / HOUR + " h" : millis / DAY + " d";
    }

    private static String both(long large, String unit, long small, String smaller) {
        return small == 0 ? large + " " + unit : large + " " + unit + " " + small + " " + smaller;
    }
}
