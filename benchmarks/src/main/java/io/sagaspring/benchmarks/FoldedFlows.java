package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Contender F: one statement for each step. */
final class FoldedFlows extends SeparateFlows {

    FoldedFlows(Ground ground) {
        super(ground);
    }

    @Override
    void store(Connection connection, UUID id, int position, String state, byte[] result) throws SQLException {
        try (PreparedStatement checkpoint = connection.prepareStatement("""
                WITH mine AS (UPDATE flow SET position = ?, state = ? WHERE id = ? AND token = 1 RETURNING id)
                INSERT INTO flow_step SELECT id, ?, ? FROM mine RETURNING flow_id""")) {
            checkpoint.setInt(1, position);
            checkpoint.setString(2, state);
            checkpoint.setObject(3, id);
            checkpoint.setInt(4, position);
            checkpoint.setBytes(5, result);
            try (ResultSet written = checkpoint.executeQuery()) {
                require(written.next());
            }
        }
    }
}
