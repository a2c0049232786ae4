package io.sagaspring.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of a result. Read the values by the names of their columns.
 *
 * @since 0.1.0
 */
public final class Row {

    private final ResultSet rows;

    Row(ResultSet rows) {
        this.rows = rows;
    }

    /**
     * Returns true if a column is null.
     *
     * @param column the column
     * @return true if the column is null
     * @throws SQLException if there is no such column
     */
    public boolean isNull(String column) throws SQLException {
        return rows.getObject(column) == null;
    }

    /**
     * Reads text.
     *
     * @param column the column, which must not be null
     * @return the text
     * @throws SQLException if there is no such column
     */
    public String text(String column) throws SQLException {
        return Objects.requireNonNull(rows.getString(column));
    }

    /**
     * Reads text.
     *
     * @param column the column
     * @return the text, or null
     * @throws SQLException if there is no such column
     */
    public @Nullable String textOrNull(String column) throws SQLException {
        return rows.getString(column);
    }

    /**
     * Reads bytes.
     *
     * @param column the column
     * @return the bytes, or null
     * @throws SQLException if there is no such column
     */
    public byte @Nullable [] bytes(String column) throws SQLException {
        return rows.getBytes(column);
    }

    /**
     * Reads a number.
     *
     * @param column the column
     * @return the number, or 0 if the column is null
     * @throws SQLException if there is no such column
     */
    public long number(String column) throws SQLException {
        return rows.getLong(column);
    }

    /**
     * Reads a number.
     *
     * @param column the column
     * @return the number, or 0 if the column is null
     * @throws SQLException if there is no such column, or the number is too large
     */
    public int integer(String column) throws SQLException {
        return rows.getInt(column);
    }

    /**
     * Reads a boolean.
     *
     * @param column the column
     * @return the value, or false if the column is null
     * @throws SQLException if there is no such column
     */
    public boolean is(String column) throws SQLException {
        return rows.getBoolean(column);
    }

    /**
     * Reads a UUID.
     *
     * @param column the column, which must not be null
     * @return the UUID
     * @throws SQLException if there is no such column
     */
    public UUID uuid(String column) throws SQLException {
        return Objects.requireNonNull(rows.getObject(column, UUID.class));
    }

    /**
     * Reads a timestamp.
     *
     * @param column the column, which must not be null
     * @return the point in time
     * @throws SQLException if there is no such column
     */
    public Instant instant(String column) throws SQLException {
        return time(column).toInstant();
    }

    /**
     * Reads a timestamp, with the offset that the driver provides.
     *
     * @param column the column, which must not be null
     * @return the point in time
     * @throws SQLException if there is no such column
     */
    public OffsetDateTime time(String column) throws SQLException {
        return Objects.requireNonNull(timeOrNull(column));
    }

    /**
     * Reads a timestamp.
     *
     * @param column the column
     * @return the timestamp, or null
     * @throws SQLException if there is no such column
     */
    public @Nullable Instant instantOrNull(String column) throws SQLException {
        OffsetDateTime time = timeOrNull(column);
        return time == null ? null : time.toInstant();
    }

    /**
     * Reads a timestamp, with the offset that the driver provides.
     *
     * @param column the column
     * @return the timestamp, or null
     * @throws SQLException if there is no such column
     */
    public @Nullable OffsetDateTime timeOrNull(String column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class);
    }

    /**
     * Reads a number of milliseconds.
     *
     * @param column the column
     * @return the duration, without fractions of a millisecond; zero if the column is null
     * @throws SQLException if there is no such column
     */
    public Duration millis(String column) throws SQLException {
        return Duration.ofMillis((long) rows.getDouble(column));
    }
}
