package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/** Contender L: two statements and a commit for each step. */
final class NaiveFlows extends SeparateFlows {

    NaiveFlows(Ground ground) {
        super(ground);
    }

    @Override
    void store(Connection connection, UUID id, int position, String state, byte[] result) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO flow_step VALUES (?, ?, ?)");
                PreparedStatement update = connection.prepareStatement(
                        "UPDATE flow SET position = ?, state = ? WHERE id = ? AND token = 1")) {
            insert.setObject(1, id);
            insert.setInt(2, position);
            insert.setBytes(3, result);
            insert.executeUpdate();
            update.setInt(1, position);
            update.setString(2, state);
            update.setObject(3, id);
            require(update.executeUpdate() == 1);
            connection.commit();
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
