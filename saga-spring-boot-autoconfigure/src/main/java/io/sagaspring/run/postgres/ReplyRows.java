package io.sagaspring.run.postgres;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Note;
import io.sagaspring.run.RunReply;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Holds the statements for replies to the waits of runs, and for {@linkplain Note notes} on runs. */
final class ReplyRows {

    /** The key of the reply that ends a wait. A wait has at most one such reply. */
    private static final String LAST_REPLY = "last";

    /** The value of the column {@code format} in the row of a note. No run receives such a row as a signal. */
    private static final String NOTE = "note";

    /**
     * The prefix of the names of notes in the table. The prefix distinguishes the names of notes from the names of
     * signals.
     */
    private static final String NOTED = "note:";

    private final Sql lock;
    private final Sql reply;
    private final Sql findNote;
    private final Sql note;
    private final Sql notes;
    private final Sql notesOfKey;

    ReplyRows(SagaSchema schema) {
        String runs = schema.table("saga_run");
        String steps = schema.table("saga_step");
        String signals = schema.table("saga_signal");
        this.lock = Sql.named(
                "run.lock-for-reply",
                "SELECT pg_catalog.pg_current_xact_id()::text AS transaction FROM %s WHERE id = :id FOR NO KEY UPDATE"
                        .formatted(runs));
        this.reply = Sql.named("run.reply", """
                WITH told AS MATERIALIZED (
                    UPDATE %1$s SET signals = signals + 1,
                        due_at = CASE WHEN state = 'waiting' THEN clock_timestamp() ELSE due_at END
                    WHERE id = :id AND ended_at IS NULL AND NOT compensating
                        AND NOT EXISTS (SELECT FROM %2$s WHERE run_id = :id AND name = :signal AND signal_key = :last)
                        AND NOT EXISTS (SELECT FROM %3$s WHERE run_id = :id AND step = :signal
                            AND (mark = 'TIMED_OUT' OR call IN ('STOP', 'STOP_AMID')))
                    RETURNING id)
                INSERT INTO %2$s (run_id, name, signal_key, format, payload, at)
                SELECT id, :signal, :key, :format, :payload, clock_timestamp() FROM told""".formatted(runs, signals, steps));
        this.findNote = Sql.named(
                "run.find-note",
                "SELECT FROM %s WHERE run_id = :id AND name = :name AND signal_key = :key".formatted(signals));
        this.note = Sql.named("run.note", """
                INSERT INTO %s AS noted (run_id, name, signal_key, format, payload, at)
                SELECT id, :name, :key, '%s', '', clock_timestamp() FROM %s WHERE id = :id AND ended_at IS NULL
                ON CONFLICT (run_id, name, signal_key) DO UPDATE SET at = excluded.at""".formatted(signals, NOTE, runs));
        String listing =
                "SELECT run_id, name, signal_key, at FROM %s WHERE %s AND format = '%s' ORDER BY at DESC, id DESC";
        this.notes = Sql.named("run.notes", listing.formatted(signals, "run_id = :id", NOTE));
        this.notesOfKey = Sql.named(
                "run.notes-of-key", listing.formatted(signals, "signal_key = :key AND starts_with(name, :name)", NOTE));
    }

    /**
     * Writes a reply. A separate statement locks the run's row. So the next statement sees the writes of the
     * previous lock holder, and therefore whether the wait has ended. If the server's reply is lost, the transaction's
     * id shows whether the transaction was committed.
     */
    OwnTransactions.Decided<Answer> reply(Connection connection, RunId id, RunReply reply) throws SQLException {
        Optional<String> transaction =
                lock.on(connection).with("id", id.value()).first(row -> row.text("transaction"));
        return transaction.isPresent()
                ? new OwnTransactions.Decided<>(replied(connection, id, reply), transaction.get())
                : new OwnTransactions.Decided<>(Answer.UNKNOWN, null);
    }

    private Answer replied(Connection connection, RunId id, RunReply reply) throws SQLException {
        String key = reply.last() ? LAST_REPLY : UUID.randomUUID().toString();
        if (reply.key() != null && isNoted(connection, id, keyOf(reply), reply.key())) {
            return Answer.REPEATED;
        }
        boolean accepted = this.reply
                .on(connection)
                .with("id", id.value())
                .with("signal", reply.signal())
                .with("last", LAST_REPLY)
                .with("key", key)
                .with("format", reply.value().format())
                .with("payload", reply.value().bytes())
                .changesOne();
        if (!accepted) {
            return Answer.TOO_LATE;
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
        return findNote.on(connection)
                .with("id", id.value())
                .with("name", NOTED + name)
                .with("key", key)
                .finds();
    }

    boolean note(Connection connection, RunId id, String name, String key) throws SQLException {
        return note.on(connection)
                .with("name", NOTED + name)
                .with("key", key)
                .with("id", id.value())
                .changesOne();
    }

    List<Note> notes(Connection connection, RunId id) throws SQLException {
        return notes.on(connection).with("id", id.value()).list(ReplyRows::note);
    }

    List<Note> notes(Connection connection, String name, String key) throws SQLException {
        return notesOfKey
                .on(connection)
                .with("key", key)
                .with("name", NOTED + name)
                .list(ReplyRows::note);
    }

    private static Note note(Row row) throws SQLException {
        return new Note(
                new RunId(row.uuid("run_id")),
                row.text("name").substring(NOTED.length()),
                row.text("signal_key"),
                row.instant("at"));
    }
}
