package io.sagaspring.run.postgres;

import io.sagaspring.due.Backlog;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Storable;
import io.sagaspring.run.Stored;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Lists and counts runs for people. Each statement reads about as many rows as it shows, or counts, by an index. Three lists may
 * read more: running runs (all that are due at some time), completed runs (of a rare name: all that ended) and runs of a key
 * without a name (all keys in the index). Indexes for these would cost every run an entry.
 */
final class RunLists {

    /** Counting goes no further than this. */
    private static final int MANY = 1_000;

    /** No id is greater. */
    private static final UUID LAST = new UUID(-1, -1);

    /** Shows a run that compensates as compensating, although its stored state is pending, running or waiting. */
    static final String STATE =
            "CASE WHEN compensating AND state IN ('pending', 'running', 'waiting') THEN 'compensating' ELSE state END";

    private static final String SINCE =
            "CASE WHEN state = 'running' THEN coalesce(picked_up_at, started_at) ELSE coalesce(since, started_at) END";

    private static final String COLUMNS = "id, run, start_key, " + STATE
            + ", node, attempts, result_format, result, error, cancel_reason, started_at, due_at, ended_at, " + SINCE;

    /** The condition of {@code saga_run_list}, in its words: the planner uses a partial index only where it finds its condition. */
    private static final String IS_LISTED = "r.state NOT IN ('pending', 'running', 'completed')";

    private final String runs;

    RunLists(SagaSchema schema) {
        this.runs = schema.table("saga_run");
    }

    /** Returns the common table {@code names}: the names of runs in a partial index, found one after the other. */
    static String names(String runs, String condition) {
        return """
                names AS (
                    (SELECT r.run FROM %1$s AS r WHERE %2$s ORDER BY r.run LIMIT 1)
                    UNION ALL
                    SELECT (SELECT r.run FROM %1$s AS r WHERE %2$s AND r.run > n.run ORDER BY r.run LIMIT 1)
                    FROM names AS n WHERE n.run IS NOT NULL)""".formatted(runs, condition);
    }

    Optional<RunRow> find(Connection connection, RunId id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT %s FROM %s WHERE id = ?".formatted(COLUMNS, runs))) {
            statement.setObject(1, id.value());
            return rows(statement).stream().findFirst();
        }
    }

    List<RunRow> list(Connection connection, RunQuery query) throws SQLException {
        Listing listing = listing(query);
        try (PreparedStatement statement = connection.prepareStatement(listing.sql())) {
            int next = 1;
            for (Object value : listing.values()) {
                if (value instanceof Collection<?> texts) {
                    statement.setArray(next++, connection.createArrayOf("text", texts.toArray()));
                } else {
                    statement.setObject(next++, value);
                }
            }
            return rows(statement);
        }
    }

    /** A statement with its parameters. */
    record Listing(String sql, List<Object> values) {}

    Listing listing(RunQuery query) {
        Listing which = query.key() != null
                ? withKey(query)
                : query.run() == null && query.states().isEmpty() && query.olderThan() == null
                        ? ofAll(query)
                        : byState(query);
        List<Object> values = new ArrayList<>(which.values());
        values.add(query.limit());
        return new Listing("%s ORDER BY id DESC LIMIT ?".formatted(which.sql()), values);
    }

    private Listing ofAll(RunQuery query) {
        Narrowed narrowed = narrowed(query, true);
        return new Listing(
                "SELECT %s FROM %s AS r WHERE true%s".formatted(COLUMNS, runs, narrowed.sql()), narrowed.values());
    }

    /** There is one run with this key for each name of a run. */
    private Listing withKey(RunQuery query) {
        Narrowed narrowed = narrowed(query, true);
        List<Object> values = new ArrayList<>();
        values.add(String.valueOf(query.key()));
        values.addAll(narrowed.values());
        String states = "";
        if (!query.states().isEmpty()) {
            states = " AND %s = ANY (?::text[])".formatted(STATE);
            values.add(query.states().stream().map(RunState::text).toList());
        }
        return new Listing(
                "SELECT %s FROM %s AS r WHERE start_key = ?%s%s".formatted(COLUMNS, runs, narrowed.sql(), states),
                values);
    }

    /** Reads as many runs of each state as are shown at most, each by the index that has it, and keeps the latest of them. */
    private Listing byState(RunQuery query) {
        Set<RunState> states =
                EnumSet.copyOf(query.states().isEmpty() ? EnumSet.allOf(RunState.class) : query.states());
        List<String> parts = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        if (states.remove(RunState.PENDING)) {
            parts.add(latest("state = 'pending' AND NOT compensating", query, values));
        }
        if (states.remove(RunState.RUNNING)) {
            parts.add(latest("state = 'running' AND NOT compensating AND due_at IS NOT NULL", query, values));
        }
        if (states.remove(RunState.COMPENSATING)) {
            parts.add(latest(
                    "compensating AND ended_at IS NULL AND state IN ('pending', 'running', 'waiting')", query, values));
        }
        if (states.remove(RunState.COMPLETED)) {
            parts.add(latest("state = 'completed' AND ended_at IS NOT NULL", query, values));
        }
        if (query.olderThan() != null && states.remove(RunState.WAITING)) {
            parts.add(longestWaits(query, values));
        }
        String names = "";
        if (!states.isEmpty()) {
            parts.add(listed(states, query, values));
            names = query.run() == null ? "WITH RECURSIVE %s ".formatted(names(runs, IS_LISTED)) : "";
        }
        // OFFSET 0: else the planner reads each part only until the whole list is full, and prefers to walk the table
        // by its key.
        return new Listing(
                "%sSELECT %s FROM ((%s) OFFSET 0) AS r".formatted(names, COLUMNS, String.join(") UNION ALL (", parts)),
                values);
    }

    private String latest(String condition, RunQuery query, List<Object> values) {
        Narrowed narrowed = narrowed(query, true);
        values.addAll(narrowed.values());
        values.add(query.limit());
        return "SELECT r.* FROM %s AS r WHERE %s%s ORDER BY id DESC LIMIT ?".formatted(runs, condition, narrowed.sql());
    }

    /** Reads {@code saga_run_list} as a range, or the planner might read the table backwards by its key, in the hope to meet some soon. */
    private String listed(Set<RunState> states, RunQuery query, List<Object> values) {
        Narrowed narrowed = byAge(query);
        RunId before = query.before();
        String given = query.run();
        if (given != null) {
            values.add(given);
        }
        values.add(states.stream().map(RunState::text).toList());
        values.add(before == null ? LAST : before.value());
        values.addAll(narrowed.values());
        values.add(query.limit());
        return """
                SELECT r.* FROM %s, unnest(?::text[]) AS s (state), LATERAL (
                    SELECT * FROM %s AS r WHERE %s
                        AND (r.run, r.state, r.id) >= (n.run, s.state, %s)
                        AND (r.run, r.state, r.id) %s (n.run, s.state, ?::uuid)
                        AND NOT (compensating AND r.state = 'waiting')%s
                    ORDER BY r.run DESC, r.state DESC, r.id DESC LIMIT ?) AS r""".formatted(
                        given == null ? "names AS n" : "(SELECT ?::text AS run) AS n",
                        runs,
                        IS_LISTED,
                        "'00000000-0000-0000-0000-000000000000'::uuid",
                        before == null ? "<=" : "<",
                        narrowed.sql());
    }

    /** Finds the longest waits by their index and sorts them: walking all ids would read every run that waits. */
    private String longestWaits(RunQuery query, List<Object> values) {
        Narrowed narrowed = narrowed(query, false);
        values.add(millis(query));
        values.addAll(narrowed.values());
        values.add(query.limit());
        return """
                SELECT r.* FROM (
                    SELECT * FROM %s AS r WHERE state = 'waiting' AND NOT compensating
                        AND coalesce(since, started_at) <= (SELECT clock_timestamp() - ? * INTERVAL '1 millisecond')%s
                    OFFSET 0) AS r
                ORDER BY id DESC LIMIT ?""".formatted(runs, narrowed.sql());
    }

    /** A condition that narrows down a part of a list, and its parameters. */
    private record Narrowed(String sql, List<Object> values) {}

    private static Narrowed narrowed(RunQuery query, boolean byAge) {
        StringBuilder sql = new StringBuilder();
        List<Object> values = new ArrayList<>();
        String run = query.run();
        if (run != null) {
            sql.append(" AND run = ?");
            values.add(run);
        }
        RunId before = query.before();
        if (before != null) {
            sql.append(" AND id < ?");
            values.add(before.value());
        }
        if (byAge) {
            Narrowed older = byAge(query);
            sql.append(older.sql());
            values.addAll(older.values());
        }
        return new Narrowed(sql.toString(), values);
    }

    private static Narrowed byAge(RunQuery query) {
        return query.olderThan() == null
                ? new Narrowed("", List.of())
                : new Narrowed(
                        " AND %s <= (SELECT clock_timestamp() - ? * INTERVAL '1 millisecond')"
                                .formatted(SINCE.replace("state", "r.state")),
                        List.of(millis(query)));
    }

    private static Long millis(RunQuery query) {
        Duration age = query.olderThan();
        return age == null ? 0 : Storable.pause(age).toMillis();
    }

    private static List<RunRow> rows(PreparedStatement statement) throws SQLException {
        List<RunRow> found = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String format = row.getString(7);
                found.add(new RunRow(
                        new RunId(row.getObject(1, UUID.class)),
                        row.getString(2),
                        row.getString(3),
                        RunState.of(row.getString(4)),
                        row.getString(5),
                        row.getInt(6),
                        format == null ? null : new Stored(format, row.getBytes(8)),
                        row.getString(9),
                        row.getString(10),
                        Columns.instant(row, 11),
                        Columns.instantOrNull(row, 12),
                        Columns.instantOrNull(row, 13),
                        Columns.instant(row, 14),
                        List.of()));
            }
        }
        return found;
    }

    Map<RunState, Long> troubled(Connection connection) throws SQLException {
        Map<RunState, Long> counted = new EnumMap<>(RunState.class);
        try (PreparedStatement statement = connection.prepareStatement(troubled());
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                long count = rows.getLong(2);
                RunState.find(rows.getString(1)).ifPresent(state -> counted.put(state, count));
            }
        }
        return counted;
    }

    /** Counts name by name, as {@code saga_run_list} has them. */
    String troubled() {
        return """
                WITH RECURSIVE %1$s
                SELECT s.state, sum(c.many)::bigint
                FROM names AS n, unnest(ARRAY['blocked', 'in_doubt', 'parked', 'compensation_failed']) AS s (state), LATERAL (
                    SELECT count(*) AS many FROM %2$s AS r WHERE %3$s AND r.run = n.run AND r.state = s.state) AS c
                WHERE c.many > 0 GROUP BY s.state""".formatted(names(runs, IS_LISTED), runs, IS_LISTED);
    }

    /** Counts lane by lane, as the index has them. A name whose code nobody has any more must not hide the others. */
    List<Backlog> backlog(Connection connection, Set<String> known) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(backlog());
                ResultSet rows = statement.executeQuery()) {
            List<Backlog> found = new ArrayList<>();
            while (rows.next()) {
                String run = rows.getString(1);
                found.add(new Backlog(
                        run, known.contains(run), rows.getInt(2), Duration.ofMillis(Math.max(0, rows.getLong(3)))));
            }
            return found;
        }
    }

    String backlog() {
        return """
                WITH RECURSIVE %1$s, clock AS MATERIALIZED (SELECT clock_timestamp() AS at)
                SELECT n.run, f.due, (extract(epoch FROM (SELECT at FROM clock) - f.oldest) * 1000)::bigint
                FROM names AS n, LATERAL (
                    SELECT least(count(*), %3$s) AS due, min(d.due_at) AS oldest
                    FROM (VALUES (true), (false)) AS lane (fresh), LATERAL (
                        SELECT r.due_at FROM %2$s AS r WHERE r.run = n.run AND (r.token IS NULL) = lane.fresh
                            AND r.due_at <= (SELECT at FROM clock)
                        ORDER BY r.due_at LIMIT %3$s) AS d) AS f
                WHERE f.due > 0""".formatted(names(runs, "r.due_at IS NOT NULL"), runs, MANY);
    }
}
