package io.sagaspring.run.postgres;

import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.ControlState;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunLease;
import io.sagaspring.run.RunState;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import io.sagaspring.run.postgres.AddedEntries.Adding;
import io.sagaspring.run.postgres.AddedEntries.Statement;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
    private final long lease;
    private final LastWrites lastWrites;
    private final AddedEntries journal;

    /**
     * The condition for a write: this node still holds the run's lease, and the database contains the entry before the
     * new ones.
     */
    private final String writable;

    private final Statement checkpoint = new Statement("run.checkpoint", this::checkpoint);
    private final Statement compensate = new Statement("run.compensate", this::compensate);
    private final Statement conclude = new Statement("run.conclude", this::conclude);
    private final Sql findEntry;
    private final Statement suspend = new Statement("run.suspend", adding -> suspend(adding, "", ""));
    private final Statement end = new Statement("run.end", adding -> end(adding, "", ""));
    private final Statement suspendQueued;
    private final Statement endQueued;
    private final Sql findLeft;
    private final Sql release;
    private final RenewalStatements held;

    RunTable(SagaSchema schema, Duration lease, LastWrites lastWrites) {
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
        this.journal = new AddedEntries(schema);
        String needsPermit = PermitRows.NEEDS_PERMIT + ", ";
        String freeing = new PermitRows(schema).freeing(" AND p.number = :permit");
        this.suspendQueued = new Statement("queue.suspend", adding -> suspend(adding, needsPermit, freeing));
        this.endQueued = new Statement("queue.end", adding -> end(adding, needsPermit, freeing));
        // Do not use EXISTS here. With outdated statistics, the planner may choose a hash join, which reads the whole
        // table.
        this.writable = """
                %s AND (:before < 0 OR
                    (SELECT s.position FROM %s AS s WHERE s.run_id = id AND s.position = :before) IS NOT NULL)""".formatted(MINE, steps);
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
     * Adds entries. Returns false if the run has received a signal or a cancellation since the known control state, if
     * this token no longer owns the run, or if the entry before the new ones is missing.
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

    /**
     * Suspends a run.
     *
     * @param set further columns to set
     * @param freeing the SQL that frees the permit of the run, or empty
     */
    private String suspend(Adding adding, String set, String freeing) {
        // If nothing is added to the journal, the run still waits for the same thing, so the start of its wait does not
        // change.
        String since = adding.count() > 0 ? THAT_MOMENT : "coalesce(since, %s)".formatted(THAT_MOMENT);
        return """
                WITH %s, mine AS (
                    UPDATE %s SET state = 'waiting', %snode = NULL, attempts = 0, amid = false, since = %s,
                        due_at = least((SELECT at FROM clock) + :again * INTERVAL '1 millisecond',
                            CASE WHEN NOT :late THEN deadline_at END)
                    WHERE %s AND signals = :signals RETURNING id%s)%s
                SELECT id FROM mine""".formatted(
                        CLOCK,
                        runs,
                        set,
                        since,
                        writable,
                        freeing.isEmpty() ? "" : ", queue",
                        journal.added(adding, THAT_MOMENT) + freeing);
    }

    boolean suspend(
            Connection connection,
            RunLease runLease,
            List<JournalEntry> entries,
            @Nullable Duration pause,
            ControlState known,
            boolean again)
            throws SQLException {
        boolean frees = runLease.freesPermitWhileWaiting();
        SqlCall call = write(frees ? suspendQueued : suspend, connection, runLease, entries, again);
        return withPermit(call, frees, runLease)
                .with("again", Columns.millis(pause))
                .with("late", known.late())
                .with("signals", known.signals())
                .finds();
    }

    private static SqlCall withPermit(SqlCall call, boolean frees, RunLease runLease) {
        return frees
                ? call.with("permit", Objects.requireNonNull(runLease.permit()).number())
                : call;
    }

    private String end(Adding adding, String set, String freeing) {
        // If the same error occurs again, such as a journal that does not fit, the time of its first occurrence does
        // not change.
        return """
                WITH mine AS (
                    UPDATE %s SET state = :state, %snode = NULL, result_format = :resultFormat, result = :result, error = :error,
                        since = CASE WHEN error = :error THEN coalesce(since, clock_timestamp()) ELSE clock_timestamp() END,
                        attempts = CASE WHEN :waits THEN 0 ELSE attempts END, amid = coalesce(:amid, amid),
                        due_at = clock_timestamp() + :again * INTERVAL '1 millisecond',
                        ended_at = CASE WHEN :isEnd THEN clock_timestamp() END
                    WHERE (:whatever OR (signals = :signals AND coalesce(deadline_at <= clock_timestamp(), false) = :late))
                        AND %s
                    RETURNING id%s)%s
                SELECT id FROM mine""".formatted(
                        runs, set, writable, freeing.isEmpty() ? "" : ", queue", journal.added(adding, NOW) + freeing);
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
        boolean frees = runLease.freesPermitIn(ending.state());
        SqlCall call = write(frees ? endQueued : end, connection, runLease, entries, again);
        return withPermit(call, frees, runLease)
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
