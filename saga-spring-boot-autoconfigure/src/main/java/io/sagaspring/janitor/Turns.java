package io.sagaspring.janitor;

import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** Lets one of many nodes do what need not be done by all. */
final class Turns {

    private final String table;

    Turns(SagaSchema schema) {
        this.table = schema.table("saga_turn");
    }

    /** Whether this node takes the turn: nobody has for this long. */
    boolean take(Connection connection, String name, Duration every) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                INSERT INTO %s AS t (name, taken_at) VALUES (?, clock_timestamp())
                ON CONFLICT (name) DO UPDATE SET taken_at = clock_timestamp()
                WHERE t.taken_at < clock_timestamp() - ? * INTERVAL '1 millisecond'
                RETURNING 1""".formatted(table))) {
            statement.setString(1, name);
            statement.setLong(2, every.toMillis());
            try (ResultSet taken = statement.executeQuery()) {
                return taken.next();
            }
        }
    }
}
