package io.sagaspring.janitor;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Lets the nodes take turns at work that only one of them has to do. */
final class NodeTurns {

    private final Sql take;

    NodeTurns(SagaSchema schema) {
        this.take = Sql.named("janitor.turn", """
                INSERT INTO %s AS t (name, taken_at) VALUES (:name, clock_timestamp())
                ON CONFLICT (name) DO UPDATE SET taken_at = clock_timestamp()
                WHERE t.taken_at < clock_timestamp() - :every * INTERVAL '1 millisecond'
                RETURNING 1""".formatted(schema.table("saga_turn")));
    }

    /**
     * Takes the turn, unless a node has taken it within the given time. Returns true if this node has taken the turn.
     */
    boolean take(Connection connection, String name, Duration every) throws SQLException {
        return take.on(connection)
                .with("name", name)
                .with("every", every.toMillis())
                .finds();
    }
}
