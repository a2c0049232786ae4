package io.sagaspring.jdbc;

import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * The place of a row in a list that is ordered by a time, and then by a number. The next page of the list begins after
 * this place.
 *
 * @param at the time, with at most microseconds
 * @param number the number
 * @since 0.1.0
 */
public record TimePlace(Instant at, long number) {

    /** The columns of the database contain neither earlier nor later times. */
    private static final Instant EARLIEST = Instant.EPOCH;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /**
     * Creates a place.
     *
     * @param at the time
     * @param number the number
     * @throws IllegalArgumentException if the time is outside of the years 1970 to 9999
     */
    public TimePlace {
        if (at.isBefore(EARLIEST) || at.isAfter(LATEST)) {
            throw new IllegalArgumentException("No row has the time %s.".formatted(at));
        }
    }

    /**
     * Reads a place.
     *
     * @param text the {@link #text()} of the place
     * @return the place
     * @throws IllegalArgumentException if the text is not that of a place
     */
    public static TimePlace read(String text) {
        int separator = text.indexOf('_');
        if (separator < 0) {
            throw new IllegalArgumentException(
                    "The start of the page is not readable. Use 'next' of the previous page.");
        }
        return new TimePlace(time(text.substring(0, separator)), Long.parseLong(text.substring(separator + 1)));
    }

    /**
     * Reads the time of a place.
     *
     * @param text the time
     * @return the time
     * @throws IllegalArgumentException if the text is not a time
     */
    public static Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException unreadable) {
            throw new IllegalArgumentException("'%s' is not a time.".formatted(text), unreadable);
        }
    }

    /** {@return the place as text, for an address} */
    public String text() {
        return "%s_%s".formatted(at, number);
    }

    /**
     * Creates the condition for the rows after a place.
     *
     * @param time the column of the time; an index on this column finds the rows
     * @param number the column of the number
     * @return the condition, with the parameters that {@link #bind} sets
     */
    public static String isAfter(String time, String number) {
        return "(%s, %s) > (:afterTime::timestamptz, :afterNumber::bigint)".formatted(time, number);
    }

    /**
     * Sets the parameters of the condition.
     *
     * @param call the call of the statement
     * @param after the place, or null for the first page
     * @return the same call
     * @throws SQLException if a parameter cannot be set
     */
    public static SqlCall bind(SqlCall call, @Nullable TimePlace after) throws SQLException {
        // The driver sends the smallest time as -infinity.
        OffsetDateTime time = after == null ? OffsetDateTime.MIN : after.at().atOffset(ZoneOffset.UTC);
        return call.with("afterTime", (statement, index) -> statement.setObject(index, time))
                .with("afterNumber", after == null ? 0 : after.number());
    }
}
