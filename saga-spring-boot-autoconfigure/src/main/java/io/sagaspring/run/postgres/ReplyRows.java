package io.sagaspring.run.postgres;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Note;
import io.sagaspring.run.RunReply;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Replies to the waits of runs, and notes beside them. */
final class ReplyRows {

    /** Of a wait there is one reply that ends it. */
    private static final String LAST_REPLY = "last";

    /** The format of what nobody is told. */
    private static final String NOTE = "note";

    /** Begins the names of notes in the table, so that none is the name of a signal. */
    private static final String NOTED = "note:";

    private final String runs;
    private final String steps;
    private final String signals;

    ReplyRows(SagaSchema schema) {
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.signals = schema.table("saga_signal");
    }

    /**
     * The run's row is locked by a statement of its own, so that the next one sees what was written by who had it locked:
     * whether the wait is over. The number of the transaction says whether it took place, where the answer is lost.
     */
    OwnTransactions.Decided<Answer> reply(Connection connection, RunId id, RunReply reply) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(
                "SELECT pg_catalog.pg_current_xact_id()::text FROM %s WHERE id = ? FOR NO KEY UPDATE"
                        .formatted(runs))) {
            lock.setObject(1, id.value());
            try (ResultSet row = lock.executeQuery()) {
                return row.next()
                        ? new OwnTransactions.Decided<>(replied(connection, id, reply), row.getString(1))
                        : new OwnTransactions.Decided<>(Answer.UNKNOWN, null);
            }
        }
    }

    private Answer replied(Connection connection, RunId id, RunReply reply) throws SQLException {
        String key = reply.last() ? LAST_REPLY : UUID.randomUUID().toString();
        if (reply.key() != null && isNoted(connection, id, keyOf(reply), reply.key())) {
            return Answer.REPEATED;
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                WITH told AS MATERIALIZED (
                    UPDATE %1$s SET signals = signals + 1,
                        due_at = CASE WHEN state = 'waiting' THEN clock_timestamp() ELSE due_at END
                    WHERE id = ? AND ended_at IS NULL AND NOT compensating
                        AND NOT EXISTS (SELECT FROM %2$s WHERE run_id = ? AND name = ? AND signal_key = ?)
                        AND NOT EXISTS (SELECT FROM %3$s WHERE run_id = ? AND step = ?
                            AND (mark = 'TIMED_OUT' OR call IN ('STOP', 'STOP_AMID')))
                    RETURNING id)
                INSERT INTO %2$s (run_id, name, signal_key, format, payload, at)
                SELECT id, ?, ?, ?, ?, clock_timestamp() FROM told""".formatted(runs, signals, steps))) {
            statement.setObject(1, id.value());
            statement.setObject(2, id.value());
            statement.setString(3, reply.signal());
            statement.setString(4, LAST_REPLY);
            statement.setObject(5, id.value());
            statement.setString(6, reply.signal());
            statement.setString(7, reply.signal());
            statement.setString(8, key);
            statement.setString(9, reply.value().format());
            statement.setBytes(10, reply.value().bytes());
            if (statement.executeUpdate() == 0) {
                return Answer.TOO_LATE;
            }
        }
        if (reply.key() != null) {
            boolean unused = note(connection, id, keyOf(reply), reply.key());
        }
        return Answer.ACCEPTED;
    }

    private static String keyOf(RunReply reply) {
        return "key:" + reply.scope();
    }

    private boolean isNoted(Connection connection, RunId id, String name, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT FROM %s WHERE run_id = ? AND name = ? AND signal_key = ?".formatted(signals))) {
            statement.setObject(1, id.value());
            statement.setString(2, NOTED + name);
            statement.setString(3, key);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    boolean note(Connection connection, RunId id, String name, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                INSERT INTO %s AS noted (run_id, name, signal_key, format, payload, at)
                SELECT id, ?, ?, '%s', '', clock_timestamp() FROM %s WHERE id = ? AND ended_at IS NULL
                ON CONFLICT (run_id, name, signal_key) DO UPDATE SET at = excluded.at""".formatted(signals, NOTE, runs))) {
            statement.setString(1, NOTED + name);
            statement.setString(2, key);
            statement.setObject(3, id.value());
            return statement.executeUpdate() == 1;
        }
    }

    List<Note> notes(Connection connection, RunId id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT run_id, name, signal_key, at FROM %s WHERE run_id = ? AND format = '%s' ORDER BY at DESC, id DESC"
                        .formatted(signals, NOTE))) {
            statement.setObject(1, id.value());
            return notes(statement);
        }
    }

    List<Note> notes(Connection connection, String name, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT run_id, name, signal_key, at FROM %s
                WHERE signal_key = ? AND starts_with(name, ?) AND format = '%s' ORDER BY at DESC, id DESC""".formatted(signals, NOTE))) {
            statement.setString(1, key);
            statement.setString(2, NOTED + name);
            return notes(statement);
        }
    }

    private static List<Note> notes(PreparedStatement statement) throws SQLException {
        List<Note> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                found.add(new Note(
                        new RunId(rows.getObject(1, UUID.class)),
                        rows.getString(2).substring(NOTED.length()),
                        rows.getString(3),
                        Columns.instant(rows, 4)));
            }
        }
        return found;
    }
}
