package io.sagaspring.janitor;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Lets one of many nodes do what need not be done by all. */
final class NodeTurns {

    private final Sql take;

    NodeTurns(SagaSchema schema) {
        this.take = Sql.named("janitor.turn", """
                INSERT INTO %s AS t (name, taken_at) VALUES (:name, clock_timestamp())
                ON CONFLICT (name) DO UPDATE SET taken_at = clock_timestamp()
                WHERE t.taken_at < clock_timestamp() - :every * INTERVAL '1 millisecond'
                RETURNING 1""".formatted(schema.table("saga_turn")));
    }

    /** Whether this node takes the turn: nobody has for this long. */
    boolean take(Connection connection, String name, Duration every) throws SQLException {
        return take.on(connection)
                .with("name", name)
                .with("every", every.toMillis())
                .finds();
    }
}
