package io.sagaspring.run.postgres;

import io.sagaspring.fence.OwnTransactions.Decided;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartKey;
import io.sagaspring.run.StartKey.Kind;
import io.sagaspring.run.StartTime;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.ManyRows.Column;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements that start runs. A new run of a queue has no token, and belongs to the lane of its queue. If it
 * has a start time, it also has a due time, at which it joins the queue.
 */
final class StartRows {

    private static final String NOW = "clock_timestamp()";

    /** The columns that every new run has, with or without a key, a queue or labels. */
    static final ManyRows<NewRun> ROWS = new ManyRows<>(
            "started",
            List.of(
                    Column.uuid("id", run -> run.id().value()),
                    Column.text("run", NewRun::run),
                    Column.text("tenant", NewRun::tenant),
                    Column.text("format", run -> Columns.format(run.input())),
                    Column.bytes("input", run -> Columns.bytes(run.input())),
                    Column.bytes("carried", run -> Columns.bytes(run.carried())),
                    Column.number("deadline", run -> Columns.millisOrNull(run.deadline()))));

    private static final ManyRows<NewRun> ROWS_WITH_KEYS = ROWS.and(Column.text("start_key", NewRun::keyText));

    private final String runs;
    private final String tokens;
    private final String queueNumbers;
    private final String node;
    private final long lease;
    private final LabelRows labels;
    private final Map<Beginning, Sql> beginnings = new ConcurrentHashMap<>();
    private final Sql findStart;
    private final Sql relabel;
    private final Sql startAll;

    StartRows(SagaSchema schema, String node, Duration lease) {
        this.runs = schema.table("saga_run");
        this.tokens = Fragments.literal(schema.table("saga_token"));
        this.queueNumbers = Fragments.literal(schema.table("saga_queue_number"));
        this.node = node;
        this.lease = lease.toMillis();
        this.labels = new LabelRows(schema);
        this.relabel = Sql.named("run.relabel", labels.exactly());
        this.findStart = Sql.named("run.find-start", findStart(runs));
        this.startAll = Sql.named("run.start-all", """
                INSERT INTO %s (id, run, start_key, tenant, state, format, input, carried, due_at, attempts, deadline_at,
                    started_at)
                SELECT id, run, start_key, tenant, 'pending', format, input, carried, clock_timestamp(), 0,
                    clock_timestamp() + deadline * INTERVAL '1 millisecond', clock_timestamp()
                FROM %s ON CONFLICT DO NOTHING RETURNING id, token, started_at""".formatted(runs, ROWS_WITH_KEYS.table()));
    }

    static String findStart(String runs) {
        return """
                SELECT id, CASE WHEN node = :node AND attempts = 1 AND journaled = 0 THEN token END AS token,
                    clock_timestamp() AS started_at
                FROM %s AS r WHERE id = :id OR (run = :run AND %s = :key AND coalesce(tenant, '') = coalesce(:tenant, ''))
                ORDER BY id = :id DESC""".formatted(runs, KeyIndex.ENTRY);
    }

    /**
     * The form of a statement that starts a run.
     *
     * @param here true if this node executes the run from the start
     * @param maybeThere true if the run may already exist, because of its key or because a reply was lost
     * @param timed true if the run begins at an instant
     * @param queued true if the run belongs to a queue
     * @param labelled true if the run has labels
     * @param kind the kind of the run's key, or null for no key
     * @param postponed true if the start postpones the run that has the key
     */
    private record Beginning(
            boolean here,
            boolean maybeThere,
            boolean timed,
            boolean queued,
            boolean labelled,
            @Nullable Kind kind,
            boolean postponed) {

        boolean replaces() {
            return kind == Kind.UNTIL_BEGUN;
        }
    }

    private Sql starting(Beginning beginning) {
        String from = beginning.timed() ? "greatest(:at, %s)".formatted(NOW) : NOW;
        String conflict = beginning.replaces()
                ? onConflict(beginning.queued(), beginning.postponed())
                : beginning.maybeThere() ? "ON CONFLICT DO NOTHING" : "";
        String insert = beginning.queued()
                ? """
                        INSERT INTO %s (id, run, start_key, tenant, state, format, input, carried, due_at, deadline_at, started_at,
                            lane, queue, queue_key, priority, queue_number)
                        VALUES (:id, :run, :key, :tenant, 'pending', :format, :input, :carried,
                            %s + :wait * INTERVAL '1 millisecond', %2$s + :deadline * INTERVAL '1 millisecond',
                            clock_timestamp(), :lane, :queue, :queueKey, :priority, nextval(%s))
                        %s RETURNING id, token, started_at""".formatted(runs, from, queueNumbers, conflict)
                : """
                INSERT INTO %s (id, run, start_key, tenant, state, format, input, carried, token, node, due_at, attempts,
                    deadline_at, started_at)
                VALUES (:id, :run, :key, :tenant, :state, :format, :input, :carried, %s, :node,
                    %s + :wait * INTERVAL '1 millisecond', :attempts,
                    %3$s + :deadline * INTERVAL '1 millisecond', clock_timestamp())
                %s RETURNING id, token, started_at""".formatted(runs, beginning.here() ? "nextval(%s)".formatted(tokens) : "NULL", from, conflict);
        String name = beginning.queued() ? "queue.start" : "run.start";
        String kind = beginning.kind() == null ? null : KeyIndex.kind(beginning.kind());
        String keyed = kind == null
                ? insert
                : insert.replace(" start_key,", " start_key, key_kind,")
                        .replace(" :key,", " :key, '%s',".formatted(kind));
        if (beginning.replaces()) {
            return Sql.named(name.replace("start", "replace"), replacing(keyed));
        }
        return Sql.named(name, beginning.labelled() ? labels.startedBy(keyed) : keyed);
    }

    /** Makes the statement return this start's time and transaction. The row itself keeps the time of its first start. */
    private String replacing(String insert) {
        return insert.replace("INSERT INTO %s (".formatted(runs), "INSERT INTO %s AS r (".formatted(runs))
                .replace(
                        "RETURNING id, token, started_at",
                        "RETURNING id, token, clock_timestamp() AS started_at, pg_catalog.pg_current_xact_id()::text AS transaction");
    }

    /** The deadline counts from the time at which the run can begin. A run that changes its queue gets a new place there. */
    private static String onConflict(boolean queued, boolean postponed) {
        String due =
                postponed ? "least(excluded.due_at, r.started_at + :atMost * INTERVAL '1 millisecond')" : "r.due_at";
        return """
                %s DO UPDATE SET format = excluded.format, input = excluded.input, carried = excluded.carried, due_at = %2$s,
                    deadline_at = greatest(clock_timestamp(), %2$s)
                        + (excluded.deadline_at - coalesce(excluded.due_at, excluded.started_at))%3$s""".formatted(KeyIndex.CONFLICT, due, !queued ? "" : """
                        , priority = excluded.priority, lane = excluded.lane, queue_key = excluded.queue_key, queue = excluded.queue,
                        queue_number = CASE WHEN r.queue = excluded.queue THEN r.queue_number ELSE excluded.queue_number END""");
    }

    /**
     * Starts a run, or replaces the input of a run that has not begun. A pickup that has locked the row first makes this statement wait,
     * and then lets it insert another row, because the first one has lost its entry in the index.
     */
    Decided<Started> replace(Connection connection, NewRun run) throws SQLException {
        Decided<Started> replaced = starting(connection, run, false)
                .first(row -> new Decided<>(started(row, false), row.text("transaction")))
                .orElseThrow();
        int unused = LabelRows.bindExactly(
                        relabel.on(connection).with("id", replaced.value().id().value()), run.labels())
                .update();
        return replaced;
    }

    Started start(Connection connection, NewRun run, boolean again) throws SQLException {
        Optional<Started> started = starting(connection, run, again).first(row -> started(row, run));
        if (started.isPresent()) {
            return started.get();
        }
        StartKey key = run.key();
        // The run exists: another caller started it with the same key, or an earlier attempt inserted it and the reply
        // was lost. After a lost reply, the token belongs to the caller only if it is still the token from the start.
        return findStart
                .on(connection)
                .with("node", node)
                .with("id", run.id().value())
                .with("run", run.run())
                .with("key", key == null ? null : KeyIndex.entry(key))
                .with("tenant", run.tenant())
                .first(row -> started(row, run))
                .orElseThrow(FreeMeanwhile::new);
    }

    private SqlCall starting(Connection connection, NewRun run, boolean again) throws SQLException {
        StoredValue carried = run.carried();
        QueuePlace place = run.place();
        StartTime later = run.startTime();
        Instant at = later == null ? null : later.instant();
        Duration delay = later == null ? null : later.delay();
        StartKey key = run.key();
        Duration atMost = later == null || key == null || !key.isReplaceable() ? null : later.atMost();
        Beginning beginning = new Beginning(
                run.here(),
                again || key != null,
                at != null,
                place != null,
                !run.labels().isEmpty(),
                key == null ? null : key.kind(),
                atMost != null);
        SqlCall call = beginnings.computeIfAbsent(beginning, this::starting).on(connection);
        call = beginning.replaces() ? call : LabelRows.bind(call, run.labels());
        if (atMost != null) {
            call = call.with("atMost", Columns.millis(atMost));
        }
        if (at != null) {
            call = call.with(
                    "at",
                    (statement, index) ->
                            statement.setObject(index, at.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE));
        }
        call = call.with("id", run.id().value())
                .with("run", run.run())
                .with("key", run.keyText())
                .with("tenant", run.tenant())
                .with("format", run.input().format())
                .with("input", run.input().bytes())
                .with("carried", carried == null ? null : carried.bytes())
                .with("deadline", Columns.millis(deadline(run, delay)));
        return place == null ? executing(call, run.here(), delay) : standing(call, place, later);
    }

    /**
     * Starts runs with one statement. Leaves out runs that this node executes from the start, and runs with a start
     * time, a queue, labels or a key of another kind than {@link Kind#UNTIL_REMOVED}.
     * If fewer than two runs remain, starts none. Also leaves out runs that already exist.
     */
    Map<RunId, Started> startAll(Connection connection, List<NewRun> all) throws SQLException {
        List<NewRun> plain = all.stream().filter(StartRows::isPlain).toList();
        return plain.size() < 2
                ? Map.of()
                : ROWS_WITH_KEYS.bind(startAll.on(connection), plain).list(row -> started(row, false)).stream()
                        .collect(Collectors.toMap(Started::id, Function.identity()));
    }

    private static boolean isPlain(NewRun run) {
        return !run.here()
                && run.startTime() == null
                && run.place() == null
                && run.labels().isEmpty()
                && (run.key() == null || run.key().kind() == Kind.UNTIL_REMOVED);
    }

    /**
     * Returns the time limit, plus the delay if the run begins after a delay. So the whole time limit is counted from
     * the end of the delay.
     */
    private static @Nullable Duration deadline(NewRun run, @Nullable Duration delay) {
        Duration deadline = run.deadline();
        return deadline == null || delay == null
                ? deadline
                : StorageLimits.pause(deadline).plus(delay);
    }

    private SqlCall executing(SqlCall call, boolean here, @Nullable Duration delay) {
        return call.with("state", (here ? RunState.RUNNING : RunState.PENDING).text())
                .with("node", here ? node : null)
                .with("wait", here ? lease : delay == null ? 0 : delay.toMillis())
                .with("attempts", here ? 1 : 0);
    }

    /** Without a start time, the run has no due time: it stands in the queue at once. */
    private static SqlCall standing(SqlCall call, QueuePlace place, @Nullable StartTime later) {
        Duration wait = later == null ? null : later.delay() == null ? Duration.ZERO : later.delay();
        return call.with("wait", Columns.millis(wait))
                .with("lane", QueuePlace.LANE + place.queue())
                .with("queue", place.queue())
                .with("queueKey", place.key())
                .with("priority", place.priority());
    }

    /** Thrown if a run with the key existed, but its key was free again before the run could be read. */
    static final class FreeMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FreeMeanwhile() {
            super("The key of the run was free again before the run could be read.", null, false, false);
        }
    }

    private static Started started(Row row, NewRun run) throws SQLException {
        return started(row, run.here() && row.uuid("id").equals(run.id().value()));
    }

    private static Started started(Row row, boolean here) throws SQLException {
        return new Started(
                new RunId(row.uuid("id")), here ? Columns.tokenOrNull(row) : null, row.instant("started_at"));
    }
}
