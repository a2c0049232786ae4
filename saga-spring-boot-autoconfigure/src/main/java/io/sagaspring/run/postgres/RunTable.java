package io.sagaspring.run.postgres;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.Driven;
import io.sagaspring.run.Entry;
import io.sagaspring.run.RunExecutions.Ending;
import io.sagaspring.run.RunExecutions.NewRun;
import io.sagaspring.run.RunExecutions.Started;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Standing;
import io.sagaspring.run.Storable;
import io.sagaspring.run.Stored;
import io.sagaspring.run.postgres.AddedEntries.Adding;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The statements of who drives a run, one for each change. Each is fenced by the token of a row that it locks. */
final class RunTable {

    static final String STANDING = "signals, cancel_reason, coalesce(deadline_at <= clock_timestamp(), false)";

    /** Read once in a statement, where several columns are to have the same moment, or an index is asked. */
    static final String CLOCK = "clock AS MATERIALIZED (SELECT clock_timestamp() AS at)";

    private static final String THAT_MOMENT = "(SELECT at FROM clock)";
    private static final String NOW = "clock_timestamp()";

    private final String runs;
    private final String steps;
    private final String tokens;
    private final String node;
    private final long lease;
    private final LastWrites lastWrites;
    private final AddedEntries journal;
    private final String mine;

    /** Neither is the run another's, nor has the database forgotten the entry on which the next one follows. */
    private final String writable;

    private final Map<Beginning, String> beginnings = new ConcurrentHashMap<>();
    private final Map<Adding, String> checkpoints = new ConcurrentHashMap<>();
    private final Map<Adding, String> suspensions = new ConcurrentHashMap<>();
    private final Map<Adding, String> endings = new ConcurrentHashMap<>();

    RunTable(SagaSchema schema, String node, Duration lease, LastWrites lastWrites) {
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.tokens = schema.table("saga_token").replace("'", "''");
        this.node = node;
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
        this.journal = new AddedEntries(steps);
        this.mine = "id = ? AND token = ? AND node IS NOT NULL";
        this.writable = mine + " AND (? < 0 OR (%s) IS NOT NULL)".formatted(entryOf("id", "?"));
    }

    /** Never hashed, as EXISTS may be: the planner does not know that the table has grown, and would read the whole of it. */
    private String entryOf(String run, String position) {
        return "SELECT s.position FROM %s AS s WHERE s.run_id = %s AND s.position = %s".formatted(steps, run, position);
    }

    /** Whether this node drives it from the start, and whether it may be there: by its key, or by a lost answer. */
    private record Beginning(boolean here, boolean maybeThere) {}

    private String starting(Beginning beginning) {
        return """
                INSERT INTO %s (id, run, start_key, state, format, input, carried, token, node, due_at, attempts,
                    deadline_at, started_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, %s, ?, clock_timestamp() + ? * INTERVAL '1 millisecond', ?,
                    clock_timestamp() + ? * INTERVAL '1 millisecond', clock_timestamp())
                %s RETURNING id, token, started_at""".formatted(
                        runs,
                        beginning.here() ? "nextval('%s')".formatted(tokens) : "NULL",
                        beginning.maybeThere() ? "ON CONFLICT DO NOTHING" : "");
    }

    Started start(Connection connection, NewRun run, boolean again) throws SQLException {
        Beginning beginning = new Beginning(run.here(), again || run.key() != null);
        String sql = beginnings.computeIfAbsent(beginning, this::starting);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, run.id().value());
            statement.setString(2, run.run());
            statement.setString(3, run.key());
            statement.setString(4, (run.here() ? RunState.RUNNING : RunState.PENDING).text());
            statement.setString(5, run.input().format());
            statement.setBytes(6, run.input().bytes());
            Stored carried = run.carried();
            statement.setBytes(7, carried == null ? null : carried.bytes());
            statement.setString(8, run.here() ? node : null);
            statement.setLong(9, run.here() ? lease : 0);
            statement.setInt(10, run.here() ? 1 : 0);
            Columns.setMillis(statement, 11, run.deadline());
            Optional<Started> started = started(statement, run);
            if (started.isPresent()) {
                return started.get();
            }
        }
        // By its own id: it was started, and the answer was lost. The token is the caller's only if it is that of the
        // start.
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT id, CASE WHEN node = ? AND attempts = 1 AND journaled = 0 THEN token END, clock_timestamp()
                FROM %s WHERE id = ? OR (run = ? AND start_key = ?) ORDER BY id = ? DESC""".formatted(runs))) {
            statement.setString(1, node);
            statement.setObject(2, run.id().value());
            statement.setString(3, run.run());
            statement.setString(4, run.key());
            statement.setObject(5, run.id().value());
            return started(statement, run).orElseThrow(PurgedMeanwhile::new);
        }
    }

    /** The run with this key was there, and then it was not. */
    static final class PurgedMeanwhile extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PurgedMeanwhile() {
            super("The run was purged meanwhile.", null, false, false);
        }
    }

    private static Optional<Started> started(PreparedStatement statement, NewRun run) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return Optional.empty();
            }
            RunId id = new RunId(row.getObject(1, UUID.class));
            return Optional.of(new Started(
                    id, id.equals(run.id()) && run.here() ? Columns.token(row, 2) : null, Columns.instant(row, 3)));
        }
    }

    /** Empty if it is not driven by this token. */
    Optional<Standing> checkpoint(Connection connection, Driven driven, List<Entry> entries, boolean again)
            throws SQLException {
        String sql = checkpoints.computeIfAbsent(new Adding(entries.size(), again), adding ->
                """
                WITH mine AS MATERIALIZED (SELECT id, %s FROM %s WHERE %s FOR NO KEY UPDATE)%s
                SELECT *, %s FROM mine""".formatted(STANDING, runs, writable, journal.added(adding, NOW), lastWrites.server()));
        return standing(connection, sql, driven, entries);
    }

    /** Empty if it is not driven by this token. */
    Optional<Standing> compensate(Connection connection, Driven driven, List<Entry> entries, boolean again)
            throws SQLException {
        String sql = """
                WITH mine AS (UPDATE %s SET compensating = true WHERE %s RETURNING id, %s)%s
                SELECT *, %s FROM mine""".formatted(
                runs, writable, STANDING, journal.added(new Adding(entries.size(), again), NOW), lastWrites.server());
        return standing(connection, sql, driven, entries);
    }

    /** Whether it is driven by this token, and was told nothing since. */
    boolean conclude(Connection connection, Driven driven, List<Entry> entries, Standing known, boolean again)
            throws SQLException {
        String sql = """
                WITH mine AS MATERIALIZED (SELECT id, %s FROM %s WHERE signals = ? AND %s FOR NO KEY UPDATE)%s
                SELECT *, %s FROM mine""".formatted(
                STANDING, runs, writable, journal.added(new Adding(entries.size(), again), NOW), lastWrites.server());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, known.signals());
            AddedEntries.set(statement, setWritable(statement, 2, driven, entries), driven, entries);
            return standing(statement, driven, entries).isPresent();
        }
    }

    /** Whether an entry was added by this token although its answer was lost. */
    boolean wasAdded(Connection connection, Driven driven, Entry entry) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT position FROM %s WHERE run_id = ? AND token = ? AND position = ?".formatted(steps))) {
            statement.setInt(setMine(statement, 1, driven), entry.position());
            return found(statement);
        }
    }

    private Optional<Standing> standing(Connection connection, String sql, Driven driven, List<Entry> entries)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            AddedEntries.set(statement, setWritable(statement, 1, driven, entries), driven, entries);
            return standing(statement, driven, entries);
        }
    }

    private Optional<Standing> standing(PreparedStatement statement, Driven driven, List<Entry> entries)
            throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next()) {
                return Optional.empty();
            }
            lastWrites.wrote(driven, entries, row.getObject(5, OffsetDateTime.class));
            return Optional.of(Columns.standing(row, 2));
        }
    }

    boolean suspend(
            Connection connection,
            Driven driven,
            List<Entry> entries,
            @Nullable Duration pause,
            Standing known,
            boolean again)
            throws SQLException {
        String sql = suspensions.computeIfAbsent(new Adding(entries.size(), again), adding ->
                """
                WITH %s, mine AS (
                    UPDATE %s SET state = 'waiting', node = NULL, attempts = 0, amid = false, since = %s,
                        due_at = least((SELECT at FROM clock) + ? * INTERVAL '1 millisecond',
                            CASE WHEN NOT ? THEN deadline_at END)
                    WHERE %s AND signals = ? RETURNING id)%s
                SELECT id FROM mine""".formatted(CLOCK, runs, waitingSince(adding), writable, journal.added(adding, THAT_MOMENT)));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Columns.setMillis(statement, 1, pause);
            statement.setBoolean(2, known.late());
            int next = setWritable(statement, 3, driven, entries);
            statement.setInt(next, known.signals());
            AddedEntries.set(statement, next + 1, driven, entries);
            return found(statement);
        }
    }

    /** It waits for the same as before, if nothing is added to its journal. */
    private static String waitingSince(Adding adding) {
        return adding.count() > 0 ? THAT_MOMENT : "coalesce(since, " + THAT_MOMENT + ")";
    }

    boolean end(
            Connection connection,
            Driven driven,
            List<Entry> entries,
            Ending ending,
            @Nullable Standing known,
            boolean again)
            throws SQLException {
        String sql = endings.computeIfAbsent(
                new Adding(entries.size(), again), adding -> """
                WITH mine AS (
                    UPDATE %s SET state = ?, node = NULL, result_format = ?, result = ?, error = ?,
                        since = CASE WHEN error = ? THEN coalesce(since, clock_timestamp()) ELSE clock_timestamp() END,
                        attempts = CASE WHEN ? THEN 0 ELSE attempts END, amid = coalesce(?, amid),
                        due_at = clock_timestamp() + ? * INTERVAL '1 millisecond',
                        ended_at = CASE WHEN ? THEN clock_timestamp() END
                    WHERE (? OR (signals = ? AND coalesce(deadline_at <= clock_timestamp(), false) = ?)) AND %s
                    RETURNING id)%s
                SELECT id FROM mine""".formatted(runs, writable, journal.added(adding, NOW)));
        Stored result = ending.result();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, ending.state().text());
            statement.setString(2, result == null ? null : result.format());
            statement.setBytes(3, result == null ? null : result.bytes());
            String error = Storable.text(ending.error());
            statement.setString(4, error);
            // What is found to be so again, such as a journal that does not fit, has been so since it was found first.
            statement.setString(5, error);
            statement.setBoolean(6, ending.isWaitingForSomebody());
            statement.setObject(7, ending.leavesAmid(), Types.BOOLEAN);
            Columns.setMillis(statement, 8, ending.again());
            statement.setBoolean(9, ending.state().isEnd());
            statement.setBoolean(10, known == null);
            statement.setInt(11, known == null ? 0 : known.signals());
            statement.setBoolean(12, known != null && known.late());
            AddedEntries.set(statement, setWritable(statement, 13, driven, entries), driven, entries);
            return found(statement);
        }
    }

    /** Whether a change was made by this token although its answer was lost: then the row was given up in that state. */
    boolean wasLeftIn(Connection connection, Driven driven, RunState state) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id FROM %s WHERE id = ? AND token = ? AND node IS NULL AND state = ?".formatted(runs))) {
            statement.setString(setMine(statement, 1, driven), state.text());
            return found(statement);
        }
    }

    boolean giveBack(Connection connection, Driven driven, Duration pause) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                UPDATE %s SET state = 'pending', node = NULL, attempts = greatest(attempts - 1, 0), amid = true,
                    since = clock_timestamp(),
                    due_at = clock_timestamp() + ? * INTERVAL '1 millisecond'
                WHERE %s RETURNING id""".formatted(runs, mine))) {
            statement.setLong(1, pause.toMillis());
            setMine(statement, 2, driven);
            return found(statement);
        }
    }

    Set<FencingToken> renew(Connection connection, Object[] ids, Object[] ofThem) throws SQLException {
        return tokens(connection, ids, ofThem, """
                UPDATE %1$s AS r SET due_at = clock_timestamp() + %2$s * INTERVAL '1 millisecond'
                FROM (SELECT l.id, l.token FROM %1$s AS l JOIN unnest(?::uuid[], ?::bigint[]) AS h (id, token) USING (id, token)
                    WHERE l.node IS NOT NULL FOR NO KEY UPDATE OF l SKIP LOCKED) AS f
                WHERE r.id = f.id AND r.token = f.token RETURNING r.token""".formatted(runs, lease));
    }

    Set<FencingToken> stillThere(Connection connection, Object[] ids, Object[] ofThem) throws SQLException {
        return tokens(connection, ids, ofThem, """
                SELECT l.token FROM %s AS l JOIN unnest(?::uuid[], ?::bigint[]) AS h (id, token) USING (id, token)
                WHERE l.node IS NOT NULL""".formatted(runs));
    }

    private static Set<FencingToken> tokens(Connection connection, Object[] ids, Object[] ofThem, String sql)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("uuid", ids));
            statement.setArray(2, connection.createArrayOf("bigint", ofThem));
            Set<FencingToken> found = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new FencingToken(rows.getLong(1)));
                }
            }
            return found;
        }
    }

    private static int setMine(PreparedStatement statement, int from, Driven driven) throws SQLException {
        statement.setObject(from, driven.id().value());
        statement.setLong(from + 1, driven.token().value());
        return from + 2;
    }

    private static int setWritable(PreparedStatement statement, int from, Driven driven, List<Entry> entries)
            throws SQLException {
        int next = setMine(statement, from, driven);
        statement.setInt(next, driven.positionBefore(entries));
        statement.setInt(next + 1, driven.positionBefore(entries));
        return next + 2;
    }

    private static boolean found(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next();
        }
    }
}
