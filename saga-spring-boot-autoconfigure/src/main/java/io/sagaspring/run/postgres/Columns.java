package io.sagaspring.run.postgres;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.Standing;
import io.sagaspring.run.Storable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Reads and writes columns that several statements about runs have. */
final class Columns {

    private Columns() {}

    static void setMillis(PreparedStatement statement, int index, @Nullable Duration duration) throws SQLException {
        if (duration == null) {
            statement.setNull(index, Types.BIGINT);
        } else {
            statement.setLong(index, Storable.pause(duration).toMillis());
        }
    }

    static Standing standing(ResultSet row, int from) throws SQLException {
        return new Standing(row.getInt(from), row.getString(from + 1), row.getBoolean(from + 2));
    }

    static @Nullable FencingToken token(ResultSet row, int column) throws SQLException {
        long token = row.getLong(column);
        return row.wasNull() ? null : new FencingToken(token);
    }

    static Instant instant(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Instant instantOrNull(ResultSet row, int column) throws SQLException {
        OffsetDateTime found = row.getObject(column, OffsetDateTime.class);
        return found == null ? null : found.toInstant();
    }
}
