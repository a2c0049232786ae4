package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/** Flows in which each change has a connection and a commit of its own. */
abstract class SeparateFlows extends FlowsByHand {

    SeparateFlows(Ground ground) {
        super(ground);
    }

    abstract void store(Connection connection, UUID id, int position, String state, byte[] result) throws SQLException;

    @Override
    final void start(UUID id, byte[] payload) {
        try (Connection connection = pool().getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO flow VALUES (?, 'running', 1, 0, ?)")) {
            insert.setObject(1, id);
            insert.setBytes(2, payload);
            insert.executeUpdate();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    final void store(UUID id, int position, String state, byte[] result) {
        try (Connection connection = pool().getConnection()) {
            store(connection, id, position, state, result);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
