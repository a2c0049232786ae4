package io.sagaspring.benchmarks;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Implements keys as many applications do: read, insert, update, read again. After a crash, no caller takes over the
 * key.
 */
final class KeysByHand {

    static final String REPLY = "R".repeat(100);

    static final String TABLE = """
            DROP TABLE IF EXISTS key_by_hand;
            CREATE TABLE key_by_hand (owner text NOT NULL, request_id text NOT NULL, operation text NOT NULL,
                status text NOT NULL, reply bytea, created_at timestamptz NOT NULL DEFAULT now(),
                PRIMARY KEY (owner, request_id, operation));
            CREATE INDEX key_by_hand_age ON key_by_hand (created_at);
            DROP TABLE IF EXISTS keyed_work;
            CREATE TABLE keyed_work (request_id text NOT NULL, done_at timestamptz NOT NULL DEFAULT now())
            """;

    private final DataSource pool;
    private final Consumer<String> work;

    KeysByHand(DataSource pool, Consumer<String> work) {
        this.pool = pool;
        this.work = work;
    }

    void sendTwice(String requestId) {
        try {
            if (read(requestId) != null || !claim(requestId)) {
                throw new IllegalStateException("%s is not new".formatted(requestId));
            }
            work.accept(requestId);
            complete(requestId);
            if (read(requestId) == null) {
                throw new IllegalStateException("%s was not completed".formatted(requestId));
            }
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Writes one row, in the current transaction if there is one. */
    static void work(DataSource pool, String requestId) {
        Connection connection = DataSourceUtils.getConnection(pool);
        try (PreparedStatement work = connection.prepareStatement("INSERT INTO keyed_work (request_id) VALUES (?)")) {
            work.setString(1, requestId);
            work.executeUpdate();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        } finally {
            DataSourceUtils.releaseConnection(connection, pool);
        }
    }

    private byte @Nullable [] read(String requestId) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement read = connection.prepareStatement(
                        "SELECT status, reply FROM key_by_hand WHERE owner = ? AND request_id = ? AND operation = ?")) {
            bind(read, 1, requestId);
            try (ResultSet found = read.executeQuery()) {
                return found.next() ? found.getBytes(2) : null;
            }
        }
    }

    private boolean claim(String requestId) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement claim = connection.prepareStatement("""
                        INSERT INTO key_by_hand (owner, request_id, operation, status) VALUES (?, ?, ?, 'PROCESSING')
                        ON CONFLICT DO NOTHING""")) {
            bind(claim, 1, requestId);
            return claim.executeUpdate() == 1;
        }
    }

    private void complete(String requestId) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement complete = connection.prepareStatement("""
                        UPDATE key_by_hand SET status = 'COMPLETED', reply = ?
                        WHERE owner = ? AND request_id = ? AND operation = ?""")) {
            complete.setBytes(1, REPLY.getBytes(StandardCharsets.UTF_8));
            bind(complete, 2, requestId);
            complete.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, int first, String requestId) throws SQLException {
        statement.setString(first, "-");
        statement.setString(first + 1, requestId);
        statement.setString(first + 2, "by hand");
    }
}
