package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.SqlCall.Visitor;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.postgres.Change.Release;
import io.sagaspring.run.postgres.Change.Start;
import io.sagaspring.run.postgres.Change.Write;
import io.sagaspring.run.postgres.ManyRows.Column;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes changes of many runs in one message to the server and one commit. The batch never waits for the lock of a row.
 * It leaves out a change if the run's row is locked, or has another owner or control state. It also leaves out a change
 * if this server may lack the preceding journal entry ({@link LastWrites}).
 */
final class RunBatch {

    /** A write, with its number in the batch. */
    private record Numbered(int number, Write write) {}

    /** An entry, with the number of its write. */
    private record Added(int number, JournalEntry entry) {}

    private static final ManyRows<NewRun> STARTS = StartRows.ROWS.and(Column.flag("here", NewRun::here));

    private static final ManyRows<Numbered> WRITES = new ManyRows<>(
            "w",
            List.of(
                    Column.count("n", Numbered::number),
                    Column.uuid("id", runLease(runLease -> runLease.id().value())),
                    Column.number("token", runLease(runLease -> runLease.token().value())),
                    Column.text("state", ending(end -> end.state().text())),
                    Column.text("format", ending(end -> Columns.format(end.result()))),
                    Column.bytes("result", ending(end -> Columns.bytes(end.result()))),
                    Column.text("error", ending(end -> StorageLimits.text(end.error()))),
                    Column.number("pause", ending(end -> Columns.millisOrNull(end.again()))),
                    Column.flag("adds", each -> !each.write().entries().isEmpty()),
                    Column.count("signals", known(ControlState::signals)),
                    Column.flag("late", known(ControlState::late))));

    private static final ManyRows<Added> ENTRIES = new ManyRows<>(
            "e",
            List.of(
                    Column.count("n", Added::number),
                    Column.count("position", added(JournalEntry::position)),
                    Column.text("step", added(JournalEntry::step)),
                    Column.text("call", added(entry -> entry.call().name())),
                    Column.text("mark", added(entry -> entry.mark().name())),
                    Column.text("format", added(entry -> Columns.format(entry.value()))),
                    Column.bytes("payload", added(entry -> Columns.bytes(entry.value()))),
                    Column.text("detail", added(entry -> StorageLimits.text(entry.detail()))),
                    Column.number("pause", added(entry -> Columns.millisOrNull(entry.pause())))));

    private static final String STARTING = """
            INSERT INTO %1$s (id, run, tenant, state, format, input, carried, token, node, due_at, attempts, deadline_at,
                started_at)
            SELECT id, run, tenant, CASE WHEN here THEN 'running' ELSE 'pending' END, format, input, carried,
                CASE WHEN here THEN nextval(%2$s) END, CASE WHEN here THEN :node END,
                clock_timestamp() + CASE WHEN here THEN :lease ELSE 0 END * INTERVAL '1 millisecond', here::integer,
                clock_timestamp() + deadline * INTERVAL '1 millisecond', clock_timestamp()
            FROM %3$s RETURNING id, token, started_at""";

    /**
     * Writes to many runs. Each row is found separately (LATERAL) and changed by an upsert with its own key. So the
     * planner has no join that it could turn into a scan of the whole table. A run that waits keeps its result and
     * error. A blocked run keeps its flag {@code amid} (the code of a step may have begun), because the node does not
     * know whether that code has begun.
     */
    private static final String WRITING = """
            WITH mine AS MATERIALIZED (
                SELECT w.*, r.*, clock_timestamp() AS at
                FROM %3$s, LATERAL (
                    SELECT signals AS told, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false) AS is_late,
                        deadline_at
                    FROM %1$s AS r
                    WHERE r.id = w.id AND r.token = w.token AND r.node IS NOT NULL
                        AND (w.signals IS NULL OR (w.signals = r.signals AND (w.state = 'waiting'
                            OR w.late = coalesce(deadline_at <= clock_timestamp(), false))))
                    FOR NO KEY UPDATE SKIP LOCKED) AS r
                WHERE :server IN (%5$s, 'epoch')),
            left_there AS (
                INSERT INTO %1$s AS r (id, run, format, input, state, result_format, result, error, started_at, since, due_at,
                    ended_at)
                SELECT id, '', '', '', state, format, result, error, at, CASE WHEN adds OR state <> 'waiting' THEN at END,
                    least(at + pause * INTERVAL '1 millisecond', CASE WHEN state = 'waiting' AND NOT late THEN deadline_at END),
                    CASE WHEN state IN ('completed', 'failed', 'cancelled') THEN at END
                FROM mine WHERE state IS NOT NULL
                ON CONFLICT (id) DO UPDATE SET node = NULL, state = excluded.state, due_at = excluded.due_at,
                    ended_at = excluded.ended_at,
                    result_format = CASE WHEN excluded.state = 'waiting' THEN r.result_format ELSE excluded.result_format END,
                    result = CASE WHEN excluded.state = 'waiting' THEN r.result ELSE excluded.result END,
                    error = CASE WHEN excluded.state = 'waiting' THEN r.error ELSE excluded.error END,
                    attempts = CASE WHEN excluded.state IN ('waiting', 'blocked', 'in_doubt', 'compensation_failed') THEN 0
                        ELSE r.attempts END,
                    amid = CASE WHEN excluded.state = 'blocked' THEN r.amid ELSE excluded.state = 'pending' END,
                    since = CASE WHEN excluded.since IS NULL OR excluded.error = r.error
                        THEN coalesce(r.since, excluded.started_at) ELSE excluded.since END),
            added AS (
                INSERT INTO %2$s (run_id, position, step, call, mark, format, payload, detail, until, token, at)
                SELECT m.id, e.position, e.step, e.call, e.mark, e.format, e.payload, e.detail,
                    at + e.pause * INTERVAL '1 millisecond', m.token, at
                FROM mine AS m JOIN %4$s ON e.n = m.n)
            SELECT n, told AS signals, cancel_reason, is_late, nullif(%5$s, :server) AS other_server FROM mine""";

    private final String node;
    private final long lease;
    private final LastWrites lastWrites;
    private final Sql starting;
    private final Sql writing;
    private final Sql both;

    RunBatch(SagaSchema schema, String node, Duration lease, LastWrites lastWrites) {
        this.node = node;
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
        String runs = schema.table("saga_run");
        String tokens = Fragments.literal(schema.table("saga_token"));
        this.starting = Sql.named("run.start-many", STARTING.formatted(runs, tokens, STARTS.table()));
        Sql alone = Sql.named(
                "run.write-many",
                WRITING.formatted(
                        runs, schema.table("saga_step"), WRITES.table(), ENTRIES.table(), lastWrites.server()));
        this.writing = alone.usingIndexes();
        this.both = starting.then(alone).usingIndexes();
    }

    /**
     * Makes the changes in one transaction. A change that was left out gets no reply. Returns the number of changes,
     * including those that were left out.
     */
    int make(Connection connection, List<? extends Change<?>> changes) throws SQLException {
        changes.forEach(Change::forgetAnswer);
        List<Start> starts = only(Start.class, changes);
        Writes writes = onOneServer(only(Write.class, changes));
        if (starts.isEmpty() && writes.isEmpty()) {
            return changes.size();
        }
        SqlCall call = (starts.isEmpty() ? writing : writes.isEmpty() ? starting : both).on(connection);
        List<Visitor> answers = new ArrayList<>(2);
        if (!starts.isEmpty()) {
            bindStarts(call, starts);
            answers.add(answersTo(starts));
        }
        if (!writes.isEmpty()) {
            bindWrites(call, writes);
            answers.add(row -> answer(writes, row));
        }
        call.visit(answers);
        return changes.size();
    }

    private static <C> List<C> only(Class<C> kind, List<? extends Change<?>> changes) {
        return changes.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /**
     * Writes that one server can make without a check of the runs' journals.
     *
     * @param all the writes
     * @param server the server that has the preceding journal entries of all writes, or {@link #ANY} if no write has a
     *     preceding entry
     */
    private record Writes(List<Write> all, OffsetDateTime server) {

        /**
         * The value that stands for any server. The value is not null, because the driver would send null with a
         * different type, and the server would then plan the statement again.
         */
        static final OffsetDateTime ANY = Instant.EPOCH.atOffset(ZoneOffset.UTC);

        boolean isEmpty() {
            return all.isEmpty();
        }
    }

    /**
     * Chooses the first known server. Leaves out the writes whose preceding entry is on another server or on an unknown
     * one. Those writes are made alone.
     */
    private Writes onOneServer(List<Write> writes) {
        OffsetDateTime server = null;
        List<Write> kept = new ArrayList<>(writes.size());
        for (Write write : writes) {
            int before = write.positionBefore();
            OffsetDateTime has = before < 0 ? null : lastWrites.serverWith(write.runLease(), before);
            server = server == null ? has : server;
            if (before < 0 || (has != null && has.equals(server))) {
                kept.add(write);
            }
        }
        return new Writes(kept, server == null ? Writes.ANY : server);
    }

    private void bindStarts(SqlCall call, List<Start> starts) {
        STARTS.bind(
                call.with("node", node).with("lease", lease),
                starts.stream().map(Start::run).toList());
    }

    private static void bindWrites(SqlCall call, Writes writes) {
        List<Numbered> numbered = new ArrayList<>();
        List<Added> added = new ArrayList<>();
        for (Write write : writes.all()) {
            int number = numbered.size();
            numbered.add(new Numbered(number, write));
            write.entries().forEach(entry -> added.add(new Added(number, entry)));
        }
        WRITES.bind(call, numbered);
        ENTRIES.bind(call, added);
        call.with(
                "server",
                (statement, index) -> statement.setObject(index, writes.server(), Types.TIMESTAMP_WITH_TIMEZONE));
    }

    /** Assigns the returned rows to the starts by id, because an INSERT may return its rows in any order. */
    private static Visitor answersTo(List<Start> starts) {
        Map<RunId, Start> byId =
                starts.stream().collect(Collectors.toMap(start -> start.run().id(), Function.identity()));
        return row -> {
            RunId id = new RunId(row.uuid("id"));
            Objects.requireNonNull(byId.get(id))
                    .answer(new Started(id, Columns.tokenOrNull(row), row.instant("started_at")));
        };
    }

    private void answer(Writes writes, Row row) throws SQLException {
        Write write = writes.all().get(row.integer("n"));
        OffsetDateTime other = row.timeOrNull("other_server");
        if (write.release() == null) {
            lastWrites.wrote(write.runLease(), write.entries(), other == null ? writes.server() : other);
        } else {
            lastWrites.forget(write.runLease());
        }
        write.answer(Columns.controlState(row));
    }

    private static Function<Numbered, @Nullable Object> runLease(Function<RunLease, @Nullable Object> value) {
        return each -> value.apply(each.write().runLease());
    }

    private static Function<Numbered, @Nullable Object> ending(Function<Ending, @Nullable Object> value) {
        return each -> {
            Release release = each.write().release();
            return release == null ? null : value.apply(release.ending());
        };
    }

    private static Function<Numbered, @Nullable Object> known(Function<ControlState, @Nullable Object> value) {
        return each -> {
            Release release = each.write().release();
            return release == null || release.known() == null ? null : value.apply(release.known());
        };
    }

    private static Function<Added, @Nullable Object> added(Function<JournalEntry, @Nullable Object> value) {
        return each -> value.apply(each.entry());
    }
}
