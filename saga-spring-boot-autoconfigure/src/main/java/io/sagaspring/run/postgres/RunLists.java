package io.sagaspring.run.postgres;

import io.sagaspring.due.Backlog;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Lists and counts runs for display. With the help of an index, each statement reads about as many rows as it returns
 * or counts. There are three exceptions. A list of running runs may read all runs with a due time. A list of completed
 * runs with a rare name may read all ended runs. A list by key without a name may read all keys in the index. More
 * indexes would avoid this, but would cost every run an index entry.
 */
final class RunLists {

    /** The number up to which the due runs of one name are counted. */
    private static final int MANY = 1_000;

    /** The greatest possible id. */
    private static final UUID LAST = new UUID(-1, -1);

    /**
     * The state to show: a compensating run is stored as pending, running or waiting, but is shown as compensating.
     */
    static final String STATE =
            "CASE WHEN compensating AND state IN ('pending', 'running', 'waiting') THEN 'compensating' ELSE state END";

    private static final String SINCE =
            "CASE WHEN state = 'running' THEN coalesce(picked_up_at, started_at) ELSE coalesce(since, started_at) END";

    private static final String COLUMNS = "id, run, start_key, tenant, " + STATE
            + " AS state, node, attempts, result_format, result, error, cancel_reason, started_at, due_at, ended_at, "
            + SINCE
            + " AS since";

    /**
     * The condition of the index {@code saga_run_list}, word for word. The planner uses a partial index only if the
     * query contains the index's condition.
     */
    private static final String IS_LISTED = "r.state NOT IN ('pending', 'running', 'completed')";

    private final String runs;
    private final Sql find;
    private final Sql troubled;
    private final Sql backlog;

    RunLists(SagaSchema schema) {
        this.runs = schema.table("saga_run");
        this.find = Sql.named("run.find", "SELECT %s FROM %s WHERE id = :id".formatted(COLUMNS, runs));
        // Counts by name, in the order of the index saga_run_list.
        this.troubled = Sql.named("run.troubled", """
                WITH RECURSIVE %1$s
                SELECT s.state, sum(c.many)::bigint AS many
                FROM names AS n, unnest(ARRAY['blocked', 'in_doubt', 'parked', 'compensation_failed']) AS s (state), LATERAL (
                    SELECT count(*) AS many FROM %2$s AS r WHERE %3$s AND r.run = n.run AND r.state = s.state) AS c
                WHERE c.many > 0 GROUP BY s.state""".formatted(names(runs, IS_LISTED), runs, IS_LISTED));
        this.backlog = Sql.named("run.backlog", """
                WITH RECURSIVE %1$s, clock AS MATERIALIZED (SELECT clock_timestamp() AS at)
                SELECT n.run, f.due, (extract(epoch FROM (SELECT at FROM clock) - f.oldest) * 1000)::bigint AS millis
                FROM names AS n, LATERAL (
                    SELECT least(count(*), %3$s) AS due, min(d.due_at) AS oldest
                    FROM (VALUES (true), (false)) AS lane (fresh), LATERAL (
                        SELECT r.due_at FROM %2$s AS r WHERE r.run = n.run AND (r.token IS NULL) = lane.fresh
                            AND r.due_at <= (SELECT at FROM clock)
                        ORDER BY r.due_at LIMIT %3$s) AS d) AS f
                WHERE f.due > 0""".formatted(names(runs, "r.due_at IS NOT NULL"), runs, MANY));
    }

    /**
     * Returns the common table expression {@code names}, which finds the names of runs in a partial index, one after
     * the other.
     */
    static String names(String runs, String condition) {
        return """
                names AS (
                    (SELECT r.run FROM %1$s AS r WHERE %2$s ORDER BY r.run LIMIT 1)
                    UNION ALL
                    SELECT (SELECT r.run FROM %1$s AS r WHERE %2$s AND r.run > n.run ORDER BY r.run LIMIT 1)
                    FROM names AS n WHERE n.run IS NOT NULL)""".formatted(runs, condition);
    }

    Optional<RunRow> find(Connection connection, RunId id) throws SQLException {
        return find.on(connection).with("id", id.value()).first(RunLists::row);
    }

    List<RunRow> list(Connection connection, RunQuery query) throws SQLException {
        return listing(query).on(connection).list(RunLists::row);
    }

    /** The statement for a query, composed of parts. A parameter has the same meaning in all parts. */
    record Listing(String sql, Map<String, Value> values) {

        SqlCall on(Connection connection) {
            SqlCall call = Sql.named("run.list", sql).on(connection);
            values.forEach(call::with);
            return call;
        }
    }

    Listing listing(RunQuery query) {
        Map<String, Value> values = new HashMap<>();
        values.put("limit", (statement, index) -> statement.setInt(index, query.limit()));
        String tenant = query.tenant();
        String selection = query.key() != null
                ? withKey(query, values)
                : tenant != null && !tenant.equals(RunQuery.WITHOUT_TENANT)
                        ? matching(query, "true", values)
                        : query.run() == null && query.states().isEmpty() && query.olderThan() == null
                                ? ofAll(query, values)
                                : byState(query, values);
        return new Listing(selection + " ORDER BY id DESC LIMIT :limit", values);
    }

    private String ofAll(RunQuery query, Map<String, Value> values) {
        return "SELECT %s FROM %s AS r WHERE true%s".formatted(COLUMNS, runs, narrowed(query, true, values));
    }

    /** Lists the runs with a key, at most one for each name and tenant. */
    private String withKey(RunQuery query, Map<String, Value> values) {
        values.put("key", (statement, index) -> statement.setString(index, query.key()));
        return matching(query, "start_key = :key", values);
    }

    /**
     * Lists the runs that match a condition and the query's states. For a tenant, the statement reads that tenant's
     * runs, latest first, until the list is full.
     */
    private String matching(RunQuery query, String condition, Map<String, Value> values) {
        String states = "";
        if (!query.states().isEmpty()) {
            states = " AND %s = ANY (:states::text[])".formatted(STATE);
            values.put("states", texts(query.states()));
        }
        return "SELECT %s FROM %s AS r WHERE %s%s%s"
                .formatted(COLUMNS, runs, condition, narrowed(query, true, values), states);
    }

    private static Value texts(Set<RunState> states) {
        Object[] texts = states.stream().map(RunState::text).toArray();
        return (statement, index) ->
                statement.setArray(index, statement.getConnection().createArrayOf("text", texts));
    }

    /**
     * Reads the latest runs of each state, up to the limit, through the index for that state. Returns the latest of all
     * these runs.
     */
    private String byState(RunQuery query, Map<String, Value> values) {
        Set<RunState> states =
                EnumSet.copyOf(query.states().isEmpty() ? EnumSet.allOf(RunState.class) : query.states());
        List<String> parts = new ArrayList<>();
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
        // Without OFFSET 0, the planner would expect to stop as soon as the whole list is full, and would scan the
        // primary key.
        return "%sSELECT %s FROM ((%s) OFFSET 0) AS r".formatted(names, COLUMNS, String.join(") UNION ALL (", parts));
    }

    private String latest(String condition, RunQuery query, Map<String, Value> values) {
        return "SELECT r.* FROM %s AS r WHERE %s%s ORDER BY id DESC LIMIT :limit"
                .formatted(runs, condition, narrowed(query, true, values));
    }

    /**
     * Returns a query over a range of the index {@code saga_run_list}. Without the range, the planner might scan the
     * primary key backwards until it has found enough matching runs.
     */
    private String listed(Set<RunState> states, RunQuery query, Map<String, Value> values) {
        RunId before = query.before();
        values.put("states", texts(states));
        values.put("before", uuid(before == null ? LAST : before.value()));
        if (query.run() != null) {
            values.put("run", run(query));
        }
        return """
                SELECT r.* FROM %s, unnest(:states::text[]) AS s (state), LATERAL (
                    SELECT * FROM %s AS r WHERE %s
                        AND (r.run, r.state, r.id) >= (n.run, s.state, %s)
                        AND (r.run, r.state, r.id) %s (n.run, s.state, :before::uuid)
                        AND NOT (compensating AND r.state = 'waiting')%s
                    ORDER BY r.run DESC, r.state DESC, r.id DESC LIMIT :limit) AS r""".formatted(
                        query.run() == null ? "names AS n" : "(SELECT :run::text AS run) AS n",
                        runs,
                        IS_LISTED,
                        "'00000000-0000-0000-0000-000000000000'::uuid",
                        before == null ? "<=" : "<",
                        byAge(query, values) + byTenant(query, values));
    }

    /**
     * Finds the longest waits through their index, and then sorts them by id. A scan in the order of the ids would read
     * every run that waits.
     */
    private String longestWaits(RunQuery query, Map<String, Value> values) {
        values.put("age", Columns.millis(query.olderThan()));
        return """
                SELECT r.* FROM (
                    SELECT * FROM %s AS r WHERE state = 'waiting' AND NOT compensating
                        AND coalesce(since, started_at) <= (SELECT clock_timestamp() - :age * INTERVAL '1 millisecond')%s
                    OFFSET 0) AS r
                ORDER BY id DESC LIMIT :limit""".formatted(runs, narrowed(query, false, values));
    }

    private static String narrowed(RunQuery query, boolean byAge, Map<String, Value> values) {
        StringBuilder sql = new StringBuilder();
        if (query.run() != null) {
            sql.append(" AND run = :run");
            values.put("run", run(query));
        }
        RunId before = query.before();
        if (before != null) {
            sql.append(" AND id < :before");
            values.put("before", uuid(before.value()));
        }
        if (byAge) {
            sql.append(byAge(query, values));
        }
        return sql.append(byTenant(query, values)).toString();
    }

    private static String byTenant(RunQuery query, Map<String, Value> values) {
        String tenant = query.tenant();
        if (tenant == null) {
            return "";
        }
        if (tenant.equals(RunQuery.WITHOUT_TENANT)) {
            return " AND tenant IS NULL";
        }
        values.put("tenant", (statement, index) -> statement.setString(index, tenant));
        return " AND tenant = :tenant";
    }

    private static String byAge(RunQuery query, Map<String, Value> values) {
        if (query.olderThan() == null) {
            return "";
        }
        values.put("age", Columns.millis(query.olderThan()));
        return " AND %s <= (SELECT clock_timestamp() - :age * INTERVAL '1 millisecond')"
                .formatted(SINCE.replace("state", "r.state"));
    }

    private static Value run(RunQuery query) {
        return (statement, index) -> statement.setString(index, query.run());
    }

    private static Value uuid(UUID id) {
        return (statement, index) -> statement.setObject(index, id);
    }

    private static RunRow row(Row row) throws SQLException {
        return new RunRow(
                new RunId(row.uuid("id")),
                row.text("run"),
                row.textOrNull("start_key"),
                row.textOrNull("tenant"),
                RunState.of(row.text("state")),
                row.textOrNull("node"),
                row.integer("attempts"),
                Columns.stored(row, "result_format", "result"),
                row.textOrNull("error"),
                row.textOrNull("cancel_reason"),
                row.instant("started_at"),
                row.instantOrNull("due_at"),
                row.instantOrNull("ended_at"),
                row.instant("since"),
                List.of());
    }

    Map<RunState, Long> troubled(Connection connection) throws SQLException {
        Map<RunState, Long> counted = new EnumMap<>(RunState.class);
        troubled.on(connection).visit(List.of(row -> {
            long count = row.number("many");
            RunState.find(row.text("state")).ifPresent(state -> counted.put(state, count));
        }));
        return counted;
    }

    /** Returns the text of the statement, for EXPLAIN. */
    String troubled() {
        return troubled.text();
    }

    /**
     * Counts the due runs of each name separately, lane by lane in the order of the index. So many runs of one name,
     * for example of a name whose code was removed, do not hide the runs of other names.
     */
    List<Backlog> backlog(Connection connection, Set<String> known) throws SQLException {
        return backlog.on(connection).list(row -> {
            String run = row.text("run");
            return new Backlog(
                    run, known.contains(run), row.integer("due"), Duration.ofMillis(Math.max(0, row.number("millis"))));
        });
    }

    /** Returns the text of the statement, for EXPLAIN. */
    String backlog() {
        return backlog.text();
    }
}
