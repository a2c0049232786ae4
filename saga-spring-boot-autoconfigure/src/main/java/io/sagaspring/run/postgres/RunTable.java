package io.sagaspring.run.postgres;

import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StartTime;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.AddedEntries.Adding;
import io.sagaspring.run.postgres.AddedEntries.Statement;
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
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements of the node that executes a run, one for each change. Each change locks the run's row and is
 * guarded by the run's token.
 */
final class RunTable {

    /** The clock, read once in a statement. Several columns then get the same time, and a search can use an index. */
    static final String CLOCK = "clock AS MATERIALIZED (SELECT clock_timestamp() AS at)";

    private static final String THAT_MOMENT = "(SELECT at FROM clock)";
    private static final String NOW = "clock_timestamp()";
    private static final String MINE = "id = :id AND token = :token AND node IS NOT NULL";

    private final String runs;
    private final String steps;
    private final String tokens;
    private final String node;
    private final long lease;
    private final LastWrites lastWrites;
    private final AddedEntries journal;

    /**
     * The condition for a write: this node still holds the run's lease, and the database contains the entry before the
     * new ones.
     */
    private final String writable;

    private final Map<Beginning, Sql> beginnings = new ConcurrentHashMap<>();
    private final Sql findStart;
    private final Statement checkpoint = new Statement("run.checkpoint", this::checkpoint);
    private final Statement compensate = new Statement("run.compensate", this::compensate);
    private final Statement conclude = new Statement("run.conclude", this::conclude);
    private final Sql findEntry;
    private final Statement suspend = new Statement("run.suspend", this::suspend);
    private final Statement end = new Statement("run.end", this::end);
    private final Sql findLeft;
    private final Sql release;
    private final RenewalStatements held;

    RunTable(SagaSchema schema, String node, Duration lease, LastWrites lastWrites) {
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.tokens = Fragments.literal(schema.table("saga_token"));
        this.node = node;
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
        this.journal = new AddedEntries(steps);
        // Do not use EXISTS here. With outdated statistics, the planner may choose a hash join, which reads the whole
        // table.
        this.writable = """
                %s AND (:before < 0 OR
                    (SELECT s.position FROM %s AS s WHERE s.run_id = id AND s.position = :before) IS NOT NULL)""".formatted(MINE, steps);
        this.findStart = Sql.named("run.find-start", """
                SELECT id, CASE WHEN node = :node AND attempts = 1 AND journaled = 0 THEN token END AS token,
                    clock_timestamp() AS started_at
                FROM %s WHERE id = :id OR (run = :run AND start_key = :key AND coalesce(tenant, '') = coalesce(:tenant, ''))
                ORDER BY id = :id DESC""".formatted(runs));
        this.findEntry = Sql.named(
                "run.find-entry",
                "SELECT position FROM %s WHERE run_id = :id AND token = :token AND position = :position"
                        .formatted(steps));
        this.findLeft = Sql.named(
                "run.find-left",
                "SELECT id FROM %s WHERE id = :id AND token = :token AND node IS NULL AND state = :state"
                        .formatted(runs));
        this.release = Sql.named("run.give-back", """
                UPDATE %s SET state = 'pending', node = NULL, attempts = greatest(attempts - 1, 0), amid = true,
                    since = clock_timestamp(),
                    due_at = clock_timestamp() + :pause * INTERVAL '1 millisecond'
                WHERE %s""".formatted(runs, MINE));
        this.held = new RenewalStatements(
                "run",
                new RenewalStatements.Rows(
                        runs, List.of("id"), "l.id = h.id::uuid", "l.node IS NOT NULL", "l.node IS NOT NULL"),
                "due_at = clock_timestamp() + %s * INTERVAL '1 millisecond'".formatted(this.lease));
    }

    /**
     * The form of a statement that starts a run.
     *
     * @param here true if this node executes the run from the start
     * @param maybeThere true if the run may already exist, because of its key or because a reply was lost
     * @param timed true if the run begins at a given instant
     */
    private record Beginning(boolean here, boolean maybeThere, boolean timed) {}

    private Sql starting(Beginning beginning) {
        return Sql.named("run.start", """
                INSERT INTO %s (id, run, start_key, tenant, state, format, input, carried, token, node, due_at, attempts,
                    deadline_at, started_at)
                VALUES (:id, :run, :key, :tenant, :state, :format, :input, :carried, %s, :node,
                    %s + :lease * INTERVAL '1 millisecond', :attempts,
                    %3$s + :deadline * INTERVAL '1 millisecond', clock_timestamp())
                %s RETURNING id, token, started_at""".formatted(
                        runs,
                        beginning.here() ? "nextval(%s)".formatted(tokens) : "NULL",
                        beginning.timed() ? "greatest(:at, %s)".formatted(NOW) : NOW,
                        beginning.maybeThere() ? "ON CONFLICT DO NOTHING" : ""));
    }

    Started start(Connection connection, NewRun run, boolean again) throws SQLException {
        StoredValue carried = run.carried();
        StartTime later = run.startTime();
        Instant at = later == null ? null : later.instant();
        Duration delay = later == null ? null : later.delay();
        SqlCall call = beginnings
                .computeIfAbsent(new Beginning(run.here(), again || run.key() != null, at != null), this::starting)
                .on(connection);
        if (at != null) {
            call = call.with(
                    "at",
                    (statement, index) ->
                            statement.setObject(index, at.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE));
        }
        Optional<Started> started = call.with("id", run.id().value())
                .with("run", run.run())
                .with("key", run.key())
                .with("tenant", run.tenant())
                .with("state", (run.here() ? RunState.RUNNING : RunState.PENDING).text())
                .with("format", run.input().format())
                .with("input", run.input().bytes())
                .with("carried", carried == null ? null : carried.bytes())
                .with("node", run.here() ? node : null)
                .with("lease", run.here() ? lease : delay == null ? 0 : delay.toMillis())
                .with("attempts", run.here() ? 1 : 0)
                .with("deadline", Columns.millis(deadline(run, delay)))
                .first(row -> started(row, run));
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
     * Returns the time limit, plus the delay if the run begins after one. So the whole time limit is counted from the
     * end of the delay.
     */
    private static @Nullable Duration deadline(NewRun run, @Nullable Duration delay) {
        Duration deadline = run.deadline();
        return deadline == null || delay == null
                ? deadline
                : StorageLimits.pause(deadline).plus(delay);
    }

    /** Thrown if a run with the key existed, but was purged before it could be read. */
    static final class PurgedMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PurgedMeanwhile() {
            super("The run was purged before it could be read.", null, false, false);
        }
    }

    private static Started started(Row row, NewRun run) throws SQLException {
        RunId id = new RunId(row.uuid("id"));
        return new Started(
                id, id.equals(run.id()) && run.here() ? Columns.tokenOrNull(row) : null, row.instant("started_at"));
    }

    private String checkpoint(Adding adding) {
        return """
                WITH mine AS MATERIALIZED (SELECT id, %s FROM %s WHERE %s FOR NO KEY UPDATE)%s
                SELECT *, %s AS server FROM mine""".formatted(Columns.CONTROL_STATE, runs, writable, journal.added(adding, NOW), lastWrites.server());
    }

    /**
     * Adds entries. Returns empty if this token no longer owns the run, or if the entry before the new ones is missing.
     */
    Optional<ControlState> checkpoint(
            Connection connection, RunLease runLease, List<JournalEntry> entries, boolean again) throws SQLException {
        return controlState(write(checkpoint, connection, runLease, entries, again), runLease, entries);
    }

    private String compensate(Adding adding) {
        return """
                WITH mine AS (UPDATE %s SET compensating = true WHERE %s RETURNING id, %s)%s
                SELECT *, %s AS server FROM mine""".formatted(runs, writable, Columns.CONTROL_STATE, journal.added(adding, NOW), lastWrites.server());
    }

    /**
     * Marks the run as compensating and adds entries. Returns empty if this token no longer owns the run, or if the
     * entry before the new ones is missing.
     */
    Optional<ControlState> compensate(
            Connection connection, RunLease runLease, List<JournalEntry> entries, boolean again) throws SQLException {
        return controlState(write(compensate, connection, runLease, entries, again), runLease, entries);
    }

    private String conclude(Adding adding) {
        return """
                WITH mine AS MATERIALIZED (SELECT id, %s FROM %s WHERE signals = :signals AND %s FOR NO KEY UPDATE)%s
                SELECT *, %s AS server FROM mine""".formatted(Columns.CONTROL_STATE, runs, writable, journal.added(adding, NOW), lastWrites.server());
    }

    /**
     * Adds entries unless the run has received a signal or a cancellation. Returns true if this token has added them.
     */
    boolean conclude(
            Connection connection, RunLease runLease, List<JournalEntry> entries, ControlState known, boolean again)
            throws SQLException {
        return controlState(
                        write(conclude, connection, runLease, entries, again).with("signals", known.signals()),
                        runLease,
                        entries)
                .isPresent();
    }

    /** Returns true if this token has added an entry, for use after an attempt whose reply was lost. */
    boolean wasAdded(Connection connection, RunLease runLease, JournalEntry entry) throws SQLException {
        return mine(findEntry, connection, runLease)
                .with("position", entry.position())
                .finds();
    }

    private Optional<ControlState> controlState(SqlCall call, RunLease runLease, List<JournalEntry> entries)
            throws SQLException {
        return call.first(row -> {
            lastWrites.wrote(runLease, entries, row.timeOrNull("server"));
            return Columns.controlState(row);
        });
    }

    private String suspend(Adding adding) {
        // If nothing is added to the journal, the run still waits for the same thing, so the start of its wait does not
        // change.
        String since = adding.count() > 0 ? THAT_MOMENT : "coalesce(since, %s)".formatted(THAT_MOMENT);
        return """
                WITH %s, mine AS (
                    UPDATE %s SET state = 'waiting', node = NULL, attempts = 0, amid = false, since = %s,
                        due_at = least((SELECT at FROM clock) + :again * INTERVAL '1 millisecond',
                            CASE WHEN NOT :late THEN deadline_at END)
                    WHERE %s AND signals = :signals RETURNING id)%s
                SELECT id FROM mine""".formatted(CLOCK, runs, since, writable, journal.added(adding, THAT_MOMENT));
    }

    boolean suspend(
            Connection connection,
            RunLease runLease,
            List<JournalEntry> entries,
            @Nullable Duration pause,
            ControlState known,
            boolean again)
            throws SQLException {
        return write(suspend, connection, runLease, entries, again)
                .with("again", Columns.millis(pause))
                .with("late", known.late())
                .with("signals", known.signals())
                .finds();
    }

    private String end(Adding adding) {
        // If the same error occurs again, such as a journal that does not fit, the time of its first occurrence does
        // not change.
        return """
                WITH mine AS (
                    UPDATE %s SET state = :state, node = NULL, result_format = :resultFormat, result = :result, error = :error,
                        since = CASE WHEN error = :error THEN coalesce(since, clock_timestamp()) ELSE clock_timestamp() END,
                        attempts = CASE WHEN :waits THEN 0 ELSE attempts END, amid = coalesce(:amid, amid),
                        due_at = clock_timestamp() + :again * INTERVAL '1 millisecond',
                        ended_at = CASE WHEN :isEnd THEN clock_timestamp() END
                    WHERE (:whatever OR (signals = :signals AND coalesce(deadline_at <= clock_timestamp(), false) = :late))
                        AND %s
                    RETURNING id)%s
                SELECT id FROM mine""".formatted(runs, writable, journal.added(adding, NOW));
    }

    boolean end(
            Connection connection,
            RunLease runLease,
            List<JournalEntry> entries,
            Ending ending,
            @Nullable ControlState known,
            boolean again)
            throws SQLException {
        StoredValue result = ending.result();
        return write(end, connection, runLease, entries, again)
                .with("state", ending.state().text())
                .with("resultFormat", result == null ? null : result.format())
                .with("result", result == null ? null : result.bytes())
                .with("error", StorageLimits.text(ending.error()))
                .with("waits", ending.resetsAttempts())
                .with("amid", (statement, index) -> statement.setObject(index, ending.leavesMidStep(), Types.BOOLEAN))
                .with("again", Columns.millis(ending.again()))
                .with("isEnd", ending.state().isEnd())
                .with("whatever", known == null)
                .with("signals", known == null ? 0 : known.signals())
                .with("late", known != null && known.late())
                .finds();
    }

    /** Returns true if this token has put the run into a state, for use after an attempt whose reply was lost. */
    boolean wasLeftIn(Connection connection, RunLease runLease, RunState state) throws SQLException {
        return mine(findLeft, connection, runLease).with("state", state.text()).finds();
    }

    boolean release(Connection connection, RunLease runLease, Duration pause) throws SQLException {
        return mine(release, connection, runLease)
                .with("pause", pause.toMillis())
                .changesOne();
    }

    private static SqlCall write(
            Statement statement, Connection connection, RunLease runLease, List<JournalEntry> entries, boolean again) {
        SqlCall call = mine(statement.adding(entries, again), connection, runLease)
                .with("before", runLease.positionBefore(entries));
        return AddedEntries.bind(call, entries);
    }

    private static SqlCall mine(Sql statement, Connection connection, RunLease runLease) {
        return statement
                .on(connection)
                .with("id", runLease.id().value())
                .with("token", runLease.token().value());
    }

    RenewalStatements held() {
        return held;
    }
}
