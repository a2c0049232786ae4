package io.sagaspring.run.postgres;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Defines, reads and writes the columns that several statements about runs share. */
final class Columns {

    /** The columns that {@link #controlState} reads. */
    static final String CONTROL_STATE =
            "signals, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false) AS is_late";

    private Columns() {}

    static Value millis(@Nullable Duration duration) {
        return (statement, index) -> setMillis(statement, index, duration);
    }

    static void setMillis(PreparedStatement statement, int index, @Nullable Duration duration) throws SQLException {
        if (duration == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, StorageLimits.pause(duration).toMillis());
        }
    }

    static @Nullable Long millisOrNull(@Nullable Duration duration) {
        return duration == null ? null : StorageLimits.pause(duration).toMillis();
    }

    static byte @Nullable [] bytes(@Nullable StoredValue value) {
        return value == null ? null : value.bytes();
    }

    static @Nullable String format(@Nullable StoredValue value) {
        return value == null ? null : value.format();
    }

    static ControlState controlState(Row row) throws SQLException {
        return new ControlState(row.integer("signals"), row.textOrNull("cancel_reason"), row.is("is_late"));
    }

    static FencingToken token(Row row) throws SQLException {
        return new FencingToken(row.number("token"));
    }

    static @Nullable FencingToken tokenOrNull(Row row) throws SQLException {
        return row.isNull("token") ? null : token(row);
    }

    static @Nullable StoredValue stored(Row row, String format, String bytes) throws SQLException {
        String written = row.textOrNull(format);
        byte[] value = row.bytes(bytes);
        return written == null || value == null ? null : new StoredValue(written, value);
    }
}
