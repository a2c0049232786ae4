package io.sagaspring.run.postgres;

import io.sagaspring.run.Entry;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Signal;
import io.sagaspring.run.Storable;
import io.sagaspring.run.Stored;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What those tell runs who do not drive them, and how runs are removed. */
final class RunRows {

    private final String runs;
    private final String steps;
    private final String signals;
    private final String tokens;
    private final Duration retention;

    RunRows(SagaSchema schema, Duration retention) {
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.signals = schema.table("saga_signal");
        this.tokens = schema.table("saga_token").replace("'", "''");
        this.retention = retention;
    }

    List<Signal> signals(Connection connection, RunId id, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id, name, format, payload FROM %s WHERE run_id = ? AND name = ? ORDER BY id"
                        .formatted(signals))) {
            statement.setObject(1, id.value());
            statement.setString(2, name);
            List<Signal> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new Signal(
                            rows.getLong(1), rows.getString(2), new Stored(rows.getString(3), rows.getBytes(4))));
                }
            }
            return found;
        }
    }

    /**
     * The run's row is locked before the number is drawn, so that numbers are in the order of the commits. Whoever is about
     * to let the run wait finds that it was told something, and looks again. A repetition tells it nothing.
     */
    Answer signal(Connection connection, RunId id, String name, String key, Stored value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                WITH told AS MATERIALIZED (
                    UPDATE %1$s SET signals = signals + 1,
                        due_at = CASE WHEN state = 'waiting' THEN clock_timestamp() ELSE due_at END
                    WHERE id = ? AND ended_at IS NULL
                        AND NOT EXISTS (SELECT FROM %2$s WHERE run_id = ? AND name = ? AND signal_key = ?)
                    RETURNING id),
                added AS (
                    INSERT INTO %2$s (run_id, name, signal_key, format, payload, at)
                    SELECT id, ?, ?, ?, ?, clock_timestamp() FROM told ON CONFLICT DO NOTHING RETURNING run_id)
                SELECT %3$s, EXISTS (SELECT FROM added),
                    EXISTS (SELECT FROM %2$s WHERE run_id = ? AND name = ? AND signal_key = ?)""".formatted(runs, signals, answer("told")))) {
            statement.setObject(1, id.value());
            statement.setObject(2, id.value());
            statement.setString(3, name);
            statement.setString(4, key);
            statement.setString(5, name);
            statement.setString(6, key);
            statement.setString(7, value.format());
            statement.setBytes(8, value.bytes());
            statement.setObject(9, id.value());
            statement.setObject(10, id.value());
            statement.setString(11, name);
            statement.setString(12, key);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getBoolean(4)) {
                    return Answer.REPEATED;
                }
                if (row.getBoolean(1)) {
                    return row.getBoolean(3) ? Answer.ACCEPTED : Answer.REPEATED;
                }
                return row.getBoolean(2) ? Answer.TOO_LATE : Answer.UNKNOWN;
            }
        }
    }

    private String answer(String told) {
        return "EXISTS (SELECT FROM %s), EXISTS (SELECT FROM %s WHERE id = ?)".formatted(told, runs);
    }

    /** What waits for anything is due at once: it has to hear of it. */
    Answer cancel(Connection connection, RunId id, String reason) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                WITH told AS MATERIALIZED (
                    UPDATE %s SET cancel_reason = coalesce(cancel_reason, ?), signals = signals + 1,
                        state = CASE WHEN state IN ('parked', 'blocked', 'in_doubt') THEN 'pending' ELSE state END,
                        since = CASE WHEN state IN ('parked', 'blocked', 'in_doubt') THEN clock_timestamp() ELSE since END,
                        attempts = CASE WHEN state = 'parked' THEN 0 ELSE attempts END,
                        due_at = CASE WHEN node IS NULL AND state <> 'compensation_failed'
                            THEN clock_timestamp() ELSE due_at END
                    WHERE id = ? AND ended_at IS NULL RETURNING id)
                SELECT %s""".formatted(runs, answer("told")))) {
            statement.setString(1, Storable.text(reason));
            statement.setObject(2, id.value());
            statement.setObject(3, id.value());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getBoolean(1)) {
                    return Answer.ACCEPTED;
                }
                return row.getBoolean(2) ? Answer.TOO_LATE : Answer.UNKNOWN;
            }
        }
    }

    boolean retry(Connection connection, RunId id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                UPDATE %s SET state = 'pending', due_at = clock_timestamp(), since = clock_timestamp(), attempts = 0,
                    error = NULL, ended_at = NULL,
                    retries = retries + CASE WHEN state IN ('failed', 'compensation_failed') THEN 1 ELSE 0 END,
                    deadline_at = CASE WHEN deadline_at > clock_timestamp() THEN deadline_at END
                WHERE id = ? AND (state IN ('parked', 'blocked', 'compensation_failed')
                    OR (state = 'failed' AND NOT compensating))""".formatted(runs))) {
            statement.setObject(1, id.value());
            return statement.executeUpdate() == 1;
        }
    }

    /**
     * A run whose node has been silent for its lease is executed by no one. The new token fences that node off, should it only
     * be paused: also from taking this end for one of its own.
     */
    boolean giveUp(Connection connection, RunId id, String reason, boolean orphaned) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("""
                UPDATE %s SET state = 'cancelled', ended_at = clock_timestamp(), since = clock_timestamp(), due_at = NULL,
                    node = NULL, token = nextval('%s'), cancel_reason = coalesce(cancel_reason, ?),
                    error = left(concat_ws(chr(10), ? || ' while it was ' || %s || '. Nothing was compensated.', error), %s)
                WHERE id = ? AND ended_at IS NULL
                    AND (state IN ('blocked', 'in_doubt', 'parked', 'compensation_failed')
                        OR ? AND (node IS NULL OR due_at <= clock_timestamp()))""".formatted(runs, tokens, RunLists.STATE, Storable.LONGEST_TEXT))) {
            String storable = Storable.text(reason);
            statement.setString(1, storable);
            statement.setString(2, storable);
            statement.setObject(3, id.value());
            statement.setBoolean(4, orphaned);
            return statement.executeUpdate() == 1;
        }
    }

    boolean resolve(Connection connection, RunId id, Entry entry) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                WITH last AS MATERIALIZED (
                    SELECT position, step, call, mark FROM %2$s WHERE run_id = ? ORDER BY position DESC LIMIT 1),
                doubted AS (
                    UPDATE %1$s AS r SET state = 'pending', due_at = clock_timestamp(), since = clock_timestamp(), attempts = 0
                    FROM last
                    WHERE r.id = ? AND last.step = ? AND (r.state = 'in_doubt'
                        OR r.state = 'blocked' AND last.call = 'STEP' AND last.mark = 'DONE') RETURNING r.id, r.token)
                INSERT INTO %2$s (run_id, position, step, call, mark, format, payload, detail, token, at)
                SELECT d.id, last.position + 1, last.step, last.call, ?, ?, ?, ?, d.token, clock_timestamp()
                FROM doubted AS d, last""".formatted(runs, steps))) {
            Stored value = entry.value();
            statement.setObject(1, id.value());
            statement.setObject(2, id.value());
            statement.setString(3, entry.step());
            statement.setString(4, entry.mark().name());
            statement.setString(5, value == null ? null : value.format());
            statement.setBytes(6, value == null ? null : value.bytes());
            statement.setString(7, Storable.text(entry.detail()));
            return statement.executeUpdate() == 1;
        }
    }

    int purge(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                """
                WITH RECURSIVE %4$s, old AS MATERIALIZED (
                    SELECT r.id FROM names AS n, LATERAL (
                        SELECT r.id FROM %1$s AS r WHERE r.run = n.run
                            AND r.ended_at <= (SELECT clock_timestamp() - ? * INTERVAL '1 millisecond')
                        ORDER BY r.ended_at LIMIT ? FOR UPDATE SKIP LOCKED) AS r
                    LIMIT ?),
                journals AS (DELETE FROM %2$s AS s USING old WHERE s.run_id = old.id),
                told AS (DELETE FROM %3$s AS s USING old WHERE s.run_id = old.id)
                DELETE FROM %1$s AS r USING old WHERE r.id = old.id""".formatted(runs, steps, signals, RunLists.names(runs, "r.ended_at IS NOT NULL")))) {
            statement.setLong(1, retention.toMillis());
            statement.setInt(2, limit);
            statement.setInt(3, limit);
            return statement.executeUpdate();
        }
    }
}
