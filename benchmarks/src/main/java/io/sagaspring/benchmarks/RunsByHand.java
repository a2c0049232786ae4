package io.sagaspring.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/** A flow of three steps by hand, each result durable before the next step: naively, and with each checkpoint folded into one. */
record RunsByHand(DataSource pool) {

    static final int STEPS = 3;

    static final String TABLE = """
            DROP TABLE IF EXISTS flow_step; DROP TABLE IF EXISTS flow;
            CREATE TABLE flow (id uuid PRIMARY KEY, state text NOT NULL, token bigint NOT NULL, position integer NOT NULL,
                input bytea NOT NULL) WITH (fillfactor = 80);
            CREATE TABLE flow_step (flow_id uuid NOT NULL, position integer NOT NULL, result bytea NOT NULL,
                PRIMARY KEY (flow_id, position))
            """;

    void naively(byte[] payload) {
        UUID id = UUID.randomUUID();
        try {
            start(id, payload);
            for (int position = 0; position < STEPS; position++) {
                inTwoStatements(id, position, payload);
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    void folded(byte[] payload) {
        UUID id = UUID.randomUUID();
        try {
            start(id, payload);
            for (int position = 0; position < STEPS; position++) {
                inOneStatement(id, position, payload);
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private void start(UUID id, byte[] payload) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO flow VALUES (?, 'running', 1, 0, ?)")) {
            insert.setObject(1, id);
            insert.setBytes(2, payload);
            insert.executeUpdate();
        }
    }

    private void inTwoStatements(UUID id, int position, byte[] payload) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO flow_step VALUES (?, ?, ?)");
                    PreparedStatement update = connection.prepareStatement(
                            "UPDATE flow SET position = ?, state = ? WHERE id = ? AND token = 1")) {
                insert.setObject(1, id);
                insert.setInt(2, position);
                insert.setBytes(3, payload);
                insert.executeUpdate();
                update.setInt(1, position);
                update.setString(2, state(position));
                update.setObject(3, id);
                require(update.executeUpdate() == 1);
                connection.commit();
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    private void inOneStatement(UUID id, int position, byte[] payload) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement checkpoint = connection.prepareStatement("""
                        WITH mine AS (UPDATE flow SET position = ?, state = ? WHERE id = ? AND token = 1 RETURNING id)
                        INSERT INTO flow_step SELECT id, ?, ? FROM mine RETURNING flow_id""")) {
            checkpoint.setInt(1, position);
            checkpoint.setString(2, state(position));
            checkpoint.setObject(3, id);
            checkpoint.setInt(4, position);
            checkpoint.setBytes(5, payload);
            try (ResultSet written = checkpoint.executeQuery()) {
                require(written.next());
            }
        }
    }

    private static String state(int position) {
        return position == STEPS - 1 ? "completed" : "running";
    }

    private static void require(boolean written) {
        if (!written) {
            throw new IllegalStateException("The flow was lost");
        }
    }
}
