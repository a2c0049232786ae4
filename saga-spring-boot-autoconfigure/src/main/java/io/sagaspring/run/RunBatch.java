package io.sagaspring.run;

import io.sagaspring.run.Change.Leave;
import io.sagaspring.run.Change.Start;
import io.sagaspring.run.Change.Write;
import io.sagaspring.run.ManyRows.Column;
import io.sagaspring.run.RunStore.Ending;
import io.sagaspring.run.RunStore.NewRun;
import io.sagaspring.run.RunStore.Started;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes of many runs as one message to the server, and one commit. It waits for no row: what is locked is left out, as is
 * what is another's, no longer as it was known, or has lost the entry on which the next one follows.
 */
final class RunBatch {

    /** A write, and which of many. */
    private record Numbered(int number, Write write) {}

    /** An entry, and of which write. */
    private record Added(int number, Entry entry) {}

    private static final ManyRows<NewRun> STARTS = new ManyRows<>(List.of(
            Column.uuid("id", run -> run.id().value()),
            Column.text("run", NewRun::run),
            Column.text("format", run -> format(run.input())),
            Column.bytes("input", run -> bytes(run.input())),
            Column.bytes("carried", run -> bytes(run.carried())),
            Column.flag("here", NewRun::here),
            Column.number("deadline", run -> millis(run.deadline()))));

    private static final ManyRows<Numbered> WRITES = new ManyRows<>(List.of(
            Column.count("n", Numbered::number),
            Column.uuid("id", driven(driven -> driven.id().value())),
            Column.number("token", driven(driven -> driven.token().value())),
            Column.count("before", each -> each.write().positionBefore()),
            Column.text("state", left(end -> end.state().text())),
            Column.text("format", left(end -> format(end.result()))),
            Column.bytes("result", left(end -> bytes(end.result()))),
            Column.text("error", left(end -> Texts.storable(end.error()))),
            Column.flag("for_somebody", left(Ending::isWaitingForSomebody)),
            Column.flag("amid", left(Ending::leavesAmid)),
            Column.number("pause", left(end -> millis(end.again()))),
            Column.flag("ends", left(end -> end.state().isEnd())),
            Column.flag("adds", each -> !each.write().entries().isEmpty()),
            Column.count("signals", known(Standing::signals)),
            Column.flag("late", known(Standing::late))));

    private static final ManyRows<Added> ENTRIES = new ManyRows<>(List.of(
            Column.count("n", Added::number),
            Column.count("position", added(Entry::position)),
            Column.text("step", added(Entry::step)),
            Column.text("call", added(entry -> entry.call().name())),
            Column.text("mark", added(entry -> entry.mark().name())),
            Column.text("format", added(entry -> format(entry.value()))),
            Column.bytes("payload", added(entry -> bytes(entry.value()))),
            Column.text("detail", added(entry -> Texts.storable(entry.detail()))),
            Column.number("pause", added(entry -> millis(entry.pause())))));

    private static final String STARTING = """
            INSERT INTO %1$s (id, run, state, format, input, carried, token, node, due_at, attempts, deadline_at, started_at)
            SELECT id, run, CASE WHEN here THEN 'running' ELSE 'pending' END, format, input, carried,
                CASE WHEN here THEN nextval('%2$s') END, CASE WHEN here THEN ? END,
                clock_timestamp() + CASE WHEN here THEN ? ELSE 0 END * INTERVAL '1 millisecond', here::integer,
                clock_timestamp() + deadline * INTERVAL '1 millisecond', clock_timestamp()
            FROM %3$s RETURNING id, token, started_at""";

    /**
     * Each row is looked for by itself (LATERAL), and changed through the conflict with its own key, for the planner must not
     * choose to read the whole table: it would for as long as nobody has told it that the table has grown, and that may be
     * a minute.
     */
    private static final String WRITING = """
            WITH mine AS MATERIALIZED (
                SELECT w.*, r.*, clock_timestamp() AS at
                FROM %3$s, LATERAL (
                    SELECT signals AS told, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false) AS is_late,
                        deadline_at, attempts, amid AS was_amid, error AS old_error, since AS old_since,
                        result_format AS old_format, result AS old_result
                    FROM %1$s AS r
                    WHERE r.id = w.id AND r.token = w.token AND r.node IS NOT NULL
                        AND (w.before < 0 OR (SELECT s.position FROM %2$s AS s
                            WHERE s.run_id = w.id AND s.position = w.before) IS NOT NULL)
                        AND (w.signals IS NULL OR (w.signals = r.signals AND (w.state = 'waiting'
                            OR w.late = coalesce(deadline_at <= clock_timestamp(), false))))
                    FOR NO KEY UPDATE SKIP LOCKED) AS r),
            left_there AS (
                INSERT INTO %1$s (id, run, format, input, started_at, state, result_format, result, error, attempts, amid,
                    since, due_at, ended_at)
                SELECT id, '', '', '', at, state, CASE WHEN state = 'waiting' THEN old_format ELSE format END,
                    CASE WHEN state = 'waiting' THEN old_result ELSE result END,
                    CASE WHEN state = 'waiting' THEN old_error ELSE error END,
                    CASE WHEN state = 'waiting' OR for_somebody THEN 0 ELSE attempts END, coalesce(amid, was_amid),
                    CASE WHEN error = old_error OR (state = 'waiting' AND NOT adds) THEN coalesce(old_since, at) ELSE at END,
                    least(at + pause * INTERVAL '1 millisecond', CASE WHEN state = 'waiting' AND NOT late THEN deadline_at END),
                    CASE WHEN ends THEN at END
                FROM mine WHERE state IS NOT NULL
                ON CONFLICT (id) DO UPDATE SET node = NULL, state = excluded.state, result_format = excluded.result_format,
                    result = excluded.result, error = excluded.error, attempts = excluded.attempts, amid = excluded.amid,
                    since = excluded.since, due_at = excluded.due_at, ended_at = excluded.ended_at),
            added AS (
                INSERT INTO %2$s (run_id, position, step, call, mark, format, payload, detail, until, token, at)
                SELECT m.id, e.position, e.step, e.call, e.mark, e.format, e.payload, e.detail,
                    at + e.pause * INTERVAL '1 millisecond', m.token, at
                FROM mine AS m JOIN %4$s ON e.n = m.n)
            SELECT n, told, cancel_reason, is_late FROM mine""";

    private final String node;
    private final long lease;
    private final String starting;
    private final String writing;
    private final String both;

    RunBatch(SagaSchema schema, String node, Duration lease) {
        this.node = node;
        this.lease = lease.toMillis();
        String runs = schema.table("saga_run");
        String tokens = schema.table("saga_token").replace("'", "''");
        this.starting = STARTING.formatted(runs, tokens, STARTS.as("started"));
        this.writing = WRITING.formatted(runs, schema.table("saga_step"), WRITES.as("w"), ENTRIES.as("e"));
        this.both = starting + ";" + writing;
    }

    /** Makes all of them, or none. What was left out gets no answer. Returns how many there were. */
    int make(Connection connection, List<? extends Change<?>> changes) throws SQLException {
        changes.forEach(Change::forgetAnswer);
        List<Start> starts = only(Start.class, changes);
        List<Write> writes = only(Write.class, changes);
        String sql = starts.isEmpty() ? writing : writes.isEmpty() ? starting : both;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = starts.isEmpty() ? 1 : setStarts(statement, starts);
            if (!writes.isEmpty()) {
                setWrites(statement, next, writes);
            }
            boolean unused = statement.execute();
            if (!starts.isEmpty()) {
                answerStarts(statement, starts);
                unused = statement.getMoreResults();
            }
            if (!writes.isEmpty()) {
                answerWrites(statement, writes);
            }
        }
        return changes.size();
    }

    private static <C> List<C> only(Class<C> kind, List<? extends Change<?>> changes) {
        return changes.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private int setStarts(PreparedStatement statement, List<Start> starts) throws SQLException {
        statement.setString(1, node);
        statement.setLong(2, lease);
        return STARTS.set(statement, 3, starts.stream().map(Start::run).toList());
    }

    private static void setWrites(PreparedStatement statement, int from, List<Write> writes) throws SQLException {
        List<Numbered> numbered = new ArrayList<>();
        List<Added> added = new ArrayList<>();
        for (Write write : writes) {
            int number = numbered.size();
            numbered.add(new Numbered(number, write));
            write.entries().forEach(entry -> added.add(new Added(number, entry)));
        }
        int unused = ENTRIES.set(statement, WRITES.set(statement, from, numbered), added);
    }

    private static void answerStarts(PreparedStatement statement, List<Start> starts) throws SQLException {
        try (ResultSet rows = statement.getResultSet()) {
            // In whatever order: an insert does not promise that of what it was given.
            Map<RunId, Start> byId = starts.stream()
                    .collect(Collectors.toMap(start -> start.run().id(), Function.identity()));
            while (rows.next()) {
                RunId id = new RunId(rows.getObject(1, UUID.class));
                Objects.requireNonNull(byId.get(id))
                        .answer(new Started(id, RunTable.token(rows, 2), RunTable.instant(rows, 3)));
            }
        }
    }

    private static void answerWrites(PreparedStatement statement, List<Write> writes) throws SQLException {
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                writes.get(rows.getInt(1)).answer(new Standing(rows.getInt(2), rows.getString(3), rows.getBoolean(4)));
            }
        }
    }

    private static Function<Numbered, @Nullable Object> driven(Function<Driven, @Nullable Object> value) {
        return each -> value.apply(each.write().driven());
    }

    private static Function<Numbered, @Nullable Object> left(Function<Ending, @Nullable Object> value) {
        return each -> {
            Leave leave = each.write().leave();
            return leave == null ? null : value.apply(leave.ending());
        };
    }

    private static Function<Numbered, @Nullable Object> known(Function<Standing, @Nullable Object> value) {
        return each -> {
            Leave leave = each.write().leave();
            return leave == null || leave.known() == null ? null : value.apply(leave.known());
        };
    }

    private static Function<Added, @Nullable Object> added(Function<Entry, @Nullable Object> value) {
        return each -> value.apply(each.entry());
    }

    private static byte @Nullable [] bytes(@Nullable Stored value) {
        return value == null ? null : value.bytes();
    }

    private static @Nullable String format(@Nullable Stored value) {
        return value == null ? null : value.format();
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : Pauses.storable(duration).toMillis();
    }
}
