package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
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

    private static final ManyRows<NewRun> ROWS_WITH_KEYS = ROWS.and(Column.text("start_key", NewRun::key));

    private final String runs;
    private final String tokens;
    private final String queueNumbers;
    private final String node;
    private final long lease;
    private final LabelRows labels;
    private final Map<Beginning, Sql> beginnings = new ConcurrentHashMap<>();
    private final Sql findStart;
    private final Sql startAll;

    StartRows(SagaSchema schema, String node, Duration lease) {
        this.runs = schema.table("saga_run");
        this.tokens = Fragments.literal(schema.table("saga_token"));
        this.queueNumbers = Fragments.literal(schema.table("saga_queue_number"));
        this.node = node;
        this.lease = lease.toMillis();
        this.labels = new LabelRows(schema);
        this.findStart = Sql.named("run.find-start", """
                SELECT id, CASE WHEN node = :node AND attempts = 1 AND journaled = 0 THEN token END AS token,
                    clock_timestamp() AS started_at
                FROM %s WHERE id = :id OR (run = :run AND start_key = :key AND coalesce(tenant, '') = coalesce(:tenant, ''))
                ORDER BY id = :id DESC""".formatted(runs));
        this.startAll = Sql.named("run.start-all", """
                INSERT INTO %s (id, run, start_key, tenant, state, format, input, carried, due_at, attempts, deadline_at,
                    started_at)
                SELECT id, run, start_key, tenant, 'pending', format, input, carried, clock_timestamp(), 0,
                    clock_timestamp() + deadline * INTERVAL '1 millisecond', clock_timestamp()
                FROM %s ON CONFLICT DO NOTHING RETURNING id, token, started_at""".formatted(runs, ROWS_WITH_KEYS.table()));
    }

    /**
     * The form of a statement that starts a run.
     *
     * @param here true if this node executes the run from the start
     * @param maybeThere true if the run may already exist, because of its key or because a reply was lost
     * @param timed true if the run begins at an instant
     * @param queued true if the run belongs to a queue
     * @param labelled true if the run has labels
     */
    private record Beginning(boolean here, boolean maybeThere, boolean timed, boolean queued, boolean labelled) {}

    private Sql starting(Beginning beginning) {
        String from = beginning.timed() ? "greatest(:at, %s)".formatted(NOW) : NOW;
        String conflict = beginning.maybeThere() ? "ON CONFLICT DO NOTHING" : "";
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
        return Sql.named(
                beginning.queued() ? "queue.start" : "run.start",
                beginning.labelled() ? labels.startedBy(insert) : insert);
    }

    Started start(Connection connection, NewRun run, boolean again) throws SQLException {
        StoredValue carried = run.carried();
        QueuePlace place = run.place();
        StartTime later = run.startTime();
        Instant at = later == null ? null : later.instant();
        Duration delay = later == null ? null : later.delay();
        Beginning beginning = new Beginning(
                run.here(),
                again || run.key() != null,
                at != null,
                place != null,
                !run.labels().isEmpty());
        SqlCall call = LabelRows.bind(
                beginnings.computeIfAbsent(beginning, this::starting).on(connection), run.labels());
        if (at != null) {
            call = call.with(
                    "at",
                    (statement, index) ->
                            statement.setObject(index, at.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE));
        }
        call = call.with("id", run.id().value())
                .with("run", run.run())
                .with("key", run.key())
                .with("tenant", run.tenant())
                .with("format", run.input().format())
                .with("input", run.input().bytes())
                .with("carried", carried == null ? null : carried.bytes())
                .with("deadline", Columns.millis(deadline(run, delay)));
        call = place == null ? executing(call, run.here(), delay) : standing(call, place, later);
        Optional<Started> started = call.first(row -> started(row, run));
        if (started.isPresent()) {
            return started.get();
        }
        // The run exists: another caller started it with the same key, or an earlier attempt inserted it and the reply
        // was lost. After a lost reply, the token belongs to the caller only if it is still the token from the start.
        return findStart
                .on(connection)
                .with("node", node)
                .with("id", run.id().value())
                .with("run", run.run())
                .with("key", run.key())
                .with("tenant", run.tenant())
                .first(row -> started(row, run))
                .orElseThrow(PurgedMeanwhile::new);
    }

    /**
     * Starts runs with one statement. Leaves out runs that this node executes from the start, and runs with a start
     * time, a queue or labels. If fewer than two runs remain, starts none. Also leaves out runs that already exist.
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
                && run.labels().isEmpty();
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

    /** Thrown if a run with the key existed, but was purged before it could be read. */
    static final class PurgedMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PurgedMeanwhile() {
            super("The run was purged before it could be read.", null, false, false);
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
