package io.sagaspring.run.postgres;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.run.Driven;
import io.sagaspring.run.Entry;
import io.sagaspring.run.Lanes;
import io.sagaspring.run.Lanes.Lane;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.Stored;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The statements that find due runs and take them, with their journals. */
final class DueRuns {

    /** As the index has it. A run without a token was driven by nobody yet. */
    private static final String IN_LANE = "r.run = lane.run AND (r.token IS NULL) = lane.fresh";

    private static final String DECIDING = "r.id, r.due_at, r.token, r.state, r.amid, r.attempts, r.journaled";

    private final String runs;
    private final String steps;
    private final String tokens;
    private final String node;
    private final long lease;
    private final LastWrites lastWrites;
    private final Lanes lanes = new Lanes();
    private final Map<Integer, String> takings = new ConcurrentHashMap<>();

    DueRuns(SagaSchema schema, String node, Duration lease, LastWrites lastWrites) {
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.tokens = schema.table("saga_token").replace("'", "''");
        this.node = node;
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
    }

    /** Asks each lane for its first: one that is due elsewhere, however many there are, is not looked at. */
    Optional<Duration> untilDue(Connection connection, Set<String> known, Duration within) throws SQLException {
        List<Lane> asked = Lanes.of(known).toList();
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT ceil(extract(epoch FROM min(d.due_at) - clock_timestamp()) * 1000)::bigint
                FROM unnest((SELECT ?::text[]), ?::boolean[]) AS lane (run, fresh), LATERAL (
                    SELECT r.due_at FROM %s AS r WHERE %s
                        AND r.due_at <= (SELECT clock_timestamp() + ? * INTERVAL '1 millisecond')
                    ORDER BY r.due_at LIMIT 1) AS d""".formatted(runs, IN_LANE))) {
            Columns.setMillis(statement, setLanes(connection, statement, asked), within);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getObject(1) != null
                        ? Optional.of(Duration.ofMillis(row.getLong(1)))
                        : Optional.empty();
            }
        }
    }

    private static int setLanes(Connection connection, PreparedStatement statement, List<Lane> asked)
            throws SQLException {
        statement.setArray(
                1,
                connection.createArrayOf("text", asked.stream().map(Lane::run).toArray()));
        statement.setArray(
                2,
                connection.createArrayOf(
                        "boolean", asked.stream().map(Lane::fresh).toArray()));
        return 3;
    }

    /**
     * Divides the slots between the lanes that have due runs, and takes from each what is due for longest. What other nodes have
     * locked counts for the division and is passed over then: the next look fills what it leaves.
     *
     * <p>Counts before anything is done, so that what kills its node is parked and not tried for ever. A run that came further
     * than when it was last taken up begins to count again. The clock is read once, as a query: only then an index can be
     * asked for what is due. What is decided by is read with the lock, and not from before it; entries that were added in
     * between are not counted, which does no harm, but they are in the journal, which is read under the lock.
     */
    List<PickedUpRun> take(Connection connection, Set<String> known, int slots, int attempts) throws SQLException {
        // The limit is no parameter: the server would plan the statement each time, which takes longer than to execute
        // it. The share of a lane is one, and the limit below it tells the planner that few rows are asked for.
        String sql = takings.computeIfAbsent(slots, limit -> takeThose("""
                shares AS MATERIALIZED (
                    SELECT run, fresh, count(*) AS share FROM (
                        SELECT lane.run, lane.fresh
                        FROM unnest((SELECT ?::text[]), ?::boolean[]) WITH ORDINALITY AS lane (run, fresh, turn), LATERAL (
                            SELECT row_number() OVER () AS nth FROM (SELECT r.id FROM %1$s AS r
                                WHERE %2$s AND r.due_at <= (SELECT at FROM clock) ORDER BY r.due_at LIMIT %3$s) AS f) AS due
                        ORDER BY due.nth, lane.turn LIMIT %3$s) AS chosen
                    GROUP BY run, fresh),
                due AS MATERIALIZED (
                    SELECT d.* FROM shares AS lane, LATERAL (
                        SELECT * FROM (SELECT %4$s FROM %1$s AS r
                            WHERE %2$s AND r.due_at <= (SELECT at FROM clock)
                            ORDER BY r.due_at LIMIT %3$s FOR UPDATE SKIP LOCKED) AS f LIMIT lane.share) AS d)""".formatted(runs, IN_LANE, limit, DECIDING)));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = setLanes(connection, statement, lanes.inTurn(known));
            return taken(connection, statement, next, attempts);
        }
    }

    Optional<PickedUpRun> take(Connection connection, RunId id, Set<String> known, int attempts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(takeThose("""
                due AS MATERIALIZED (
                    SELECT %s FROM %s AS r
                    WHERE id = ? AND run = ANY (?::text[]) AND due_at IS NOT NULL
                        AND (node IS NULL OR due_at <= (SELECT at FROM clock)) FOR UPDATE SKIP LOCKED)""".formatted(DECIDING, runs)))) {
            statement.setObject(1, id.value());
            statement.setArray(2, connection.createArrayOf("text", known.toArray()));
            return taken(connection, statement, 3, attempts).stream().findFirst();
        }
    }

    private String takeThose(String due) {
        return """
                WITH %1$s,
                %5$s,
                counted AS MATERIALIZED (
                    SELECT d.id, d.due_at AS was_due, d.token IS NOT NULL AS was_driven,
                        d.amid OR d.state = 'running' AS interrupted, f.entries,
                        CASE WHEN f.entries > d.journaled THEN 1 ELSE d.attempts + 1 END AS attempt
                    FROM due AS d CROSS JOIN LATERAL (SELECT CASE WHEN d.token IS NULL THEN 0 ELSE coalesce((
                        SELECT position + 1 FROM %3$s AS s WHERE s.run_id = d.id ORDER BY position DESC LIMIT 1), 0)
                        END AS entries) AS f)
                UPDATE %2$s AS r SET token = nextval('%4$s'), journaled = c.entries, amid = c.interrupted,
                    picked_up_at = at, since = CASE WHEN c.attempt > ? THEN at ELSE r.since END,
                    attempts = CASE WHEN c.attempt > ? THEN r.attempts ELSE c.attempt END,
                    state = CASE WHEN c.attempt > ? THEN 'parked' ELSE 'running' END,
                    node = CASE WHEN c.attempt > ? THEN NULL ELSE ? END,
                    due_at = CASE WHEN c.attempt > ? THEN NULL ELSE at + ? * INTERVAL '1 millisecond' END
                FROM counted AS c, clock WHERE r.id = c.id
                RETURNING r.id, r.token, r.run, r.format, r.input, r.carried, c.was_driven, at, r.attempts,
                    r.node IS NULL, %6$s, c.was_due, c.interrupted, r.retries,
                    c.entries, %7$s""".formatted(RunTable.CLOCK, runs, steps, tokens, due, RunTable.STANDING, lastWrites.server());
    }

    private List<PickedUpRun> taken(Connection connection, PreparedStatement statement, int from, int attempts)
            throws SQLException {
        statement.setInt(from, attempts);
        statement.setInt(from + 1, attempts);
        statement.setInt(from + 2, attempts);
        statement.setInt(from + 3, attempts);
        statement.setString(from + 4, node);
        statement.setInt(from + 5, attempts);
        statement.setLong(from + 6, lease);
        List<PickedUpRun> taken = new ArrayList<>();
        Map<RunId, Instant> due = new HashMap<>();
        List<UUID> begun = new ArrayList<>();
        Set<Lane> served = new HashSet<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                RunId id = new RunId(rows.getObject(1, UUID.class));
                due.put(id, Columns.instant(rows, 14));
                boolean wasDriven = rows.getBoolean(7);
                if (wasDriven) {
                    begun.add(id.value());
                }
                served.add(new Lane(rows.getString(3), !wasDriven));
                Driven driven = new Driven(id, new FencingToken(rows.getLong(2)));
                boolean parked = rows.getBoolean(10);
                if (!parked) {
                    lastWrites.wrote(driven, rows.getInt(17), rows.getObject(18, OffsetDateTime.class));
                }
                taken.add(new PickedUpRun(
                        driven,
                        rows.getString(3),
                        new Stored(rows.getString(4), rows.getBytes(5)),
                        carried(rows.getString(4), rows.getBytes(6)),
                        List.of(),
                        Columns.standing(rows, 11),
                        Columns.instant(rows, 8),
                        rows.getInt(9),
                        rows.getInt(16),
                        rows.getBoolean(15),
                        parked));
            }
        }
        lanes.served(served);
        // An update returns its rows in the order of its plan.
        taken.sort(Comparator.comparing(each -> due.get(each.driven().id())));
        return begun.isEmpty() ? taken : withJournals(taken, journals(connection, begun));
    }

    private static @Nullable Stored carried(String format, byte @Nullable [] bytes) {
        return bytes == null ? null : new Stored(format, bytes);
    }

    private static List<PickedUpRun> withJournals(List<PickedUpRun> taken, Map<RunId, List<Entry>> journals) {
        return taken.stream()
                .map(each -> new PickedUpRun(
                        each.driven(),
                        each.run(),
                        each.input(),
                        each.carried(),
                        journals.getOrDefault(each.driven().id(), List.of()),
                        each.standing(),
                        each.now(),
                        each.attempt(),
                        each.retries(),
                        each.interrupted(),
                        each.parked()))
                .toList();
    }

    /** Run by run (LATERAL), so that the planner does not read the whole table before it has heard that it has grown. */
    Map<RunId, List<Entry>> journals(Connection connection, Collection<UUID> ids) throws SQLException {
        Map<RunId, List<Entry>> journals = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT j.* FROM unnest((SELECT ?::uuid[])) AS asked (id), LATERAL (
                    SELECT run_id, position, step, call, mark, format, payload, detail, until, at
                    FROM %s WHERE run_id = asked.id ORDER BY position) AS j""".formatted(steps))) {
            statement.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String format = rows.getString(6);
                    journals.computeIfAbsent(new RunId(rows.getObject(1, UUID.class)), id -> new ArrayList<>())
                            .add(new Entry(
                                    rows.getInt(2),
                                    rows.getString(3),
                                    Entry.Call.of(rows.getString(4)),
                                    Entry.Mark.of(rows.getString(5)),
                                    format == null ? null : new Stored(format, rows.getBytes(7)),
                                    rows.getString(8),
                                    null,
                                    Columns.instantOrNull(rows, 9),
                                    Columns.instant(rows, 10)));
                }
            }
        }
        return journals;
    }
}
