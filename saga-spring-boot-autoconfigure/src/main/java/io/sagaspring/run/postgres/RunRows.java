package io.sagaspring.run.postgres;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.KeyInUseException;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunInbox.Answer;
import io.sagaspring.run.RunInbox.Signal;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;

/**
 * Holds the statements of callers that do not execute the run, for example to signal or cancel it. Also removes old
 * runs.
 */
final class RunRows {

    private final Duration retention;
    private final Sql signals;
    private final Sql signal;
    private final Sql cancel;
    private final Sql retry;
    private final Sql findSuccessor;
    private final Sql giveUp;
    private final Sql resolve;
    private final Sql purge;

    RunRows(SagaSchema schema, Duration retention) {
        String runs = schema.table("saga_run");
        String steps = schema.table("saga_step");
        String inbox = schema.table("saga_signal");
        this.retention = retention;
        this.signals = Sql.named(
                "run.signals",
                "SELECT id, name, format, payload FROM %s WHERE run_id = :id AND name = :name ORDER BY id"
                        .formatted(inbox));
        String answer = "EXISTS (SELECT FROM told) AS was_told, EXISTS (SELECT FROM %s WHERE id = :id) AS is_known"
                .formatted(runs);
        String isThere =
                "EXISTS (SELECT FROM %s WHERE run_id = :id AND name = :name AND signal_key = :key)".formatted(inbox);
        this.signal = Sql.named("run.signal", """
                WITH told AS MATERIALIZED (
                    UPDATE %1$s SET signals = signals + 1,
                        due_at = CASE WHEN state = 'waiting' THEN clock_timestamp() ELSE due_at END
                    WHERE id = :id AND ended_at IS NULL AND NOT %4$s
                    RETURNING id),
                added AS (
                    INSERT INTO %2$s (run_id, name, signal_key, format, payload, at)
                    SELECT id, :name, :key, :format, :payload, clock_timestamp() FROM told
                    ON CONFLICT DO NOTHING RETURNING run_id)
                SELECT %3$s, EXISTS (SELECT FROM added) AS was_added, %4$s AS was_there""".formatted(runs, inbox, answer, isThere));
        this.cancel = Sql.named("run.cancel", """
                WITH told AS MATERIALIZED (
                    UPDATE %s SET cancel_reason = coalesce(cancel_reason, :reason), signals = signals + 1,
                        state = CASE WHEN state IN ('parked', 'blocked', 'in_doubt') THEN 'pending' ELSE state END,
                        since = CASE WHEN state IN ('parked', 'blocked', 'in_doubt') THEN clock_timestamp() ELSE since END,
                        attempts = CASE WHEN state = 'parked' THEN 0 ELSE attempts END,
                        due_at = CASE WHEN node IS NULL AND state <> 'compensation_failed'
                            THEN clock_timestamp() ELSE due_at END
                    WHERE id = :id AND ended_at IS NULL RETURNING id)
                SELECT %s""".formatted(runs, answer));
        this.retry = Sql.named("run.retry", """
                UPDATE %s SET state = 'pending', due_at = clock_timestamp(), since = clock_timestamp(), attempts = 0,
                    error = NULL, ended_at = NULL,
                    retries = retries + CASE WHEN state IN ('failed', 'compensation_failed') THEN 1 ELSE 0 END,
                    deadline_at = CASE WHEN deadline_at > clock_timestamp() THEN deadline_at END
                WHERE id = :id AND (state IN ('parked', 'blocked', 'compensation_failed')
                    OR (state = 'failed' AND NOT compensating))""".formatted(runs));
        this.findSuccessor = Sql.named("run.find-successor", findSuccessor(runs));
        this.giveUp = Sql.named("run.give-up", """
                WITH mine AS (
                    UPDATE %s SET state = 'cancelled', ended_at = clock_timestamp(), since = clock_timestamp(), due_at = NULL,
                        permit = NULL, node = NULL, token = nextval(%s), cancel_reason = coalesce(cancel_reason, :reason),
                        error = left(concat_ws(chr(10), :reason || ' while it was ' || %s || '. Nothing was compensated.', error), %s)
                    WHERE id = :id AND ended_at IS NULL
                        AND (state IN ('blocked', 'in_doubt', 'parked', 'compensation_failed')
                            OR :orphaned AND (node IS NULL OR due_at <= clock_timestamp()))
                    RETURNING id, queue)%s
                SELECT id FROM mine""".formatted(
                        runs,
                        Fragments.literal(schema.table("saga_token")),
                        RunLists.STATE,
                        StorageLimits.LONGEST_TEXT,
                        new PermitRows(schema).freeing("")));
        this.resolve = Sql.named("run.resolve", """
                WITH last AS MATERIALIZED (
                    SELECT position, step, call, mark FROM %2$s WHERE run_id = :id ORDER BY position DESC LIMIT 1),
                doubted AS (
                    UPDATE %1$s AS r SET state = 'pending', due_at = clock_timestamp(), since = clock_timestamp(), attempts = 0
                    FROM last
                    WHERE r.id = :id AND last.step = :step AND (r.state = 'in_doubt'
                        OR r.state = 'blocked' AND last.call = 'STEP' AND last.mark = 'DONE') RETURNING r.id, r.token)
                INSERT INTO %2$s (run_id, position, step, call, mark, format, payload, detail, token, at)
                SELECT d.id, last.position + 1, last.step, last.call, :mark, :format, :payload, :detail, d.token, clock_timestamp()
                FROM doubted AS d, last""".formatted(runs, steps));
        this.purge = Sql.named("run.purge", """
                WITH RECURSIVE %4$s, old AS MATERIALIZED (
                    SELECT r.id FROM names AS n, LATERAL (
                        SELECT r.id FROM %1$s AS r WHERE r.run = n.run
                            AND r.ended_at <= (SELECT clock_timestamp() - :retention * INTERVAL '1 millisecond')
                        ORDER BY r.ended_at LIMIT :limit FOR UPDATE SKIP LOCKED) AS r
                    LIMIT :limit),
                journals AS (DELETE FROM %2$s AS s USING old WHERE s.run_id = old.id),
                told AS (DELETE FROM %3$s AS s USING old WHERE s.run_id = old.id),
                labels AS (DELETE FROM %5$s AS s USING old WHERE s.run_id = old.id)
                DELETE FROM %1$s AS r USING old WHERE r.id = old.id""".formatted(
                runs, steps, inbox, RunLists.names(runs, "r.ended_at IS NOT NULL"), schema.table("saga_label")));
    }

    static String findSuccessor(String runs) {
        return """
                SELECT r.id, r.start_key FROM %1$s AS ended, LATERAL (
                    SELECT r.id, r.start_key FROM %1$s AS r WHERE r.run = ended.run AND %2$s = chr(1) || 'o' || ended.start_key
                        AND coalesce(r.tenant, '') = coalesce(ended.tenant, '') OFFSET 0) AS r
                WHERE ended.id = :id AND r.id <> :id""".formatted(runs, KeyIndex.ENTRY);
    }

    List<Signal> signals(Connection connection, RunId id, String name) throws SQLException {
        return signals.on(connection)
                .with("id", id.value())
                .with("name", name)
                .list(row -> new Signal(
                        row.number("id"),
                        row.text("name"),
                        Objects.requireNonNull(Columns.stored(row, "format", "payload"))));
    }

    /**
     * Sends a signal. The run's row is locked before the signal gets its id from a sequence, so that the ids follow the
     * order of the commits. The statement increases the run's number of signals. A node that is about to suspend the
     * run notices the change, and reads the signals again. A repeated signal has no effect.
     */
    Answer signal(Connection connection, RunId id, String name, String key, StoredValue value) throws SQLException {
        return signal.on(connection)
                .with("id", id.value())
                .with("name", name)
                .with("key", key)
                .with("format", value.format())
                .with("payload", value.bytes())
                .first(row -> {
                    if (row.is("was_there") || (row.is("was_told") && !row.is("was_added"))) {
                        return Answer.REPEATED;
                    }
                    return answer(row);
                })
                .orElseThrow();
    }

    private static Answer answer(Row row) throws SQLException {
        if (row.is("was_told")) {
            return Answer.ACCEPTED;
        }
        return row.is("is_known") ? Answer.TOO_LATE : Answer.UNKNOWN;
    }

    /**
     * Cancels a run. A run that no node executes becomes due immediately and so receives the cancellation, unless its
     * compensation has failed.
     */
    Answer cancel(Connection connection, RunId id, String reason) throws SQLException {
        return cancel.on(connection)
                .with("reason", StorageLimits.text(reason))
                .with("id", id.value())
                .first(RunRows::answer)
                .orElseThrow();
    }

    /**
     * Retries a run. An ended run with an open key gets its entry in {@code saga_run_key} back. If another open run has this entry, the
     * database refuses the change.
     */
    boolean retry(OwnTransactions own, RunId id) {
        while (true) {
            try {
                return own.single(connection ->
                        retry.on(connection).with("id", id.value()).changesOne());
            } catch (DuplicateKeyException inUse) {
                Optional<KeyInUseException> refusal = own.single(connection -> findSuccessor
                        .on(connection)
                        .with("id", id.value())
                        .first(row -> new KeyInUseException(id, new RunId(row.uuid("id")), row.text("start_key"))));
                if (refusal.isPresent()) {
                    throw refusal.get();
                }
                // The other run has ended in the meantime, so the key is free.
            }
        }
    }

    /**
     * Gives up a run. Once the run's lease has ended, no node counts as executing the run. The new token fences off the
     * previous owner, which may only have been paused, and prevents that owner from taking this end for its own.
     */
    boolean giveUp(Connection connection, RunId id, String reason, boolean orphaned) throws SQLException {
        return giveUp.on(connection)
                .with("reason", StorageLimits.text(reason))
                .with("id", id.value())
                .with("orphaned", orphaned)
                .finds();
    }

    boolean resolve(Connection connection, RunId id, JournalEntry entry) throws SQLException {
        StoredValue value = entry.value();
        return resolve.on(connection)
                .with("id", id.value())
                .with("step", entry.step())
                .with("mark", entry.mark().name())
                .with("format", value == null ? null : value.format())
                .with("payload", value == null ? null : value.bytes())
                .with("detail", StorageLimits.text(entry.detail()))
                .changesOne();
    }

    int purge(Connection connection, int limit) throws SQLException {
        return purge.on(connection)
                .with("retention", retention.toMillis())
                .with("limit", limit)
                .update();
    }
}
