package io.sagaspring.run.postgres;

import io.sagaspring.due.Backlog;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Lists and counts runs for display. With the help of an index, each statement reads about as many rows as it returns
 * or counts. There are three exceptions. A list of running runs may read all runs with a due time. A list of completed
 * runs with a rare name may read all ended runs. A list by key without a name may read all keys in the index. More
 * indexes would avoid these exceptions, but each would cost every run an index entry.
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

    static final String SINCE =
            "CASE WHEN state = 'running' THEN coalesce(picked_up_at, started_at) ELSE coalesce(since, started_at) END";

    private static final String COLUMNS = "id, run, start_key, tenant, " + STATE
            + " AS state, node, attempts, result_format, result, error, cancel_reason, started_at, due_at, ended_at, "
            + SINCE
            + " AS since";

    /**
     * The condition of the index {@code saga_run_list}, word for word. The planner uses a partial index only if the
     * query contains the index's condition.
     */
    static final String IS_LISTED = "r.state NOT IN ('pending', 'running', 'completed')";

    /** The lane of a run, written as in the index {@code saga_run_lane}. */
    static final String LANE = "coalesce(r.lane, r.run)";

    private final String runs;
    private final String labels;
    private final RunConditions conditions;
    private final String shown;
    private final Sql find;
    private final Sql findAll;
    private final Sql findWithLabels;
    private final Sql troubled;
    private final Sql backlog;

    RunLists(SagaSchema schema) {
        this.runs = schema.table("saga_run");
        this.labels = schema.table("saga_label");
        this.conditions = new RunConditions(labels);
        this.shown = "%s, %s AS labels".formatted(COLUMNS, new LabelRows(schema).of());
        this.find = Sql.named("run.find", "SELECT %s FROM %s WHERE id = :id".formatted(COLUMNS, runs));
        this.findAll = Sql.named("run.find-all", "SELECT %s FROM %s WHERE id = ANY (:ids)".formatted(COLUMNS, runs));
        this.findWithLabels = Sql.named("run.show", "SELECT %s FROM %s AS r WHERE id = :id".formatted(shown, runs));
        // Count name by name, so that each count reads a range of the index saga_run_list.
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
                        SELECT r.due_at FROM %2$s AS r WHERE %4$s = n.run AND (r.token IS NULL) = lane.fresh
                            AND r.due_at <= (SELECT at FROM clock)
                        ORDER BY r.due_at LIMIT %3$s) AS d) AS f
                WHERE f.due > 0 AND NOT starts_with(n.run, '%5$s')""".formatted(
                        names(runs, "r.due_at IS NOT NULL", LANE), runs, MANY, LANE, QueuePlace.LANE));
    }

    /**
     * Returns the common table expression {@code names}, which finds the names of runs in a partial index, one after
     * the other.
     */
    static String names(String runs, String condition) {
        return names(runs, condition, "r.run");
    }

    static String names(String runs, String condition, String name) {
        return """
                names (run) AS (
                    (SELECT %3$s FROM %1$s AS r WHERE %2$s ORDER BY %3$s LIMIT 1)
                    UNION ALL
                    SELECT (SELECT %3$s FROM %1$s AS r WHERE %2$s AND %3$s > n.run ORDER BY %3$s LIMIT 1)
                    FROM names AS n WHERE n.run IS NOT NULL)""".formatted(runs, condition, name);
    }

    Optional<RunRow> find(Connection connection, RunId id) throws SQLException {
        return find.on(connection).with("id", id.value()).first(row -> row(row, Map.of()));
    }

    List<RunRow> findAll(Connection connection, Collection<RunId> ids) throws SQLException {
        return findAll.on(connection)
                .array("ids", "uuid", ids.stream().map(RunId::value).toArray(UUID[]::new))
                .list(row -> row(row, Map.of()));
    }

    Optional<RunRow> findWithLabels(Connection connection, RunId id) throws SQLException {
        return findWithLabels.on(connection).with("id", id.value()).first(RunLists::row);
    }

    List<RunRow> list(Connection connection, RunQuery query) throws SQLException {
        return listing(query).on(connection).list(RunLists::row);
    }

    /** Counts runs, at most {@code most}. */
    long count(Connection connection, RunQuery query, int most) throws SQLException {
        return counting(query, most)
                .on(connection)
                .first(row -> row.number("many"))
                .orElseThrow();
    }

    /** The statement for a query, composed of parts. A parameter has the same meaning in all parts. */
    record Listing(String name, String sql, Map<String, Value> values) {

        SqlCall on(Connection connection) {
            SqlCall call = Sql.named(name, sql).on(connection);
            values.forEach(call::with);
            return call;
        }
    }

    Listing listing(RunQuery query) {
        Map<String, Value> values = new HashMap<>();
        values.put("limit", (statement, index) -> statement.setInt(index, query.limit()));
        String tenant = query.tenant();
        boolean isOfTenant = tenant != null && !tenant.equals(RunQuery.WITHOUT_TENANT);
        boolean isOfAll = query.run() == null && query.states().isEmpty() && query.olderThan() == null;
        String selection;
        String order = "r.id";
        if (query.key() != null) {
            selection = withKey(query, values);
        } else if (!query.labels().isEmpty()) {
            selection = withLabel(query, values);
            order = "l.run_id";
        } else if (query.node() != null) {
            selection = onNode(query, values);
        } else if (isOfTenant) {
            selection = matching(query, "true", values);
        } else {
            selection = isOfAll ? ofAll(query, values) : byState(query, values);
        }
        return new Listing("run.list", "%s ORDER BY %s DESC LIMIT :limit".formatted(selection, order), values);
    }

    /**
     * Counts the runs that a list of at most this many runs would contain. The planner leaves out the columns, which
     * the count does not need.
     */
    Listing counting(RunQuery query, int most) {
        Listing listing = listing(query.latest(most));
        return new Listing(
                "run.count", "SELECT count(*) AS many FROM (%s) AS counted".formatted(listing.sql()), listing.values());
    }

    /**
     * Reads the runs with the first label through its index, latest first, until the list is full. OFFSET 0 makes the planner look up
     * each run by its id. With outdated statistics, it might otherwise join the tables, and read them as a whole.
     */
    private String withLabel(RunQuery query, Map<String, Value> values) {
        Map.Entry<String, String> first = query.labels().entrySet().iterator().next();
        return """
                SELECT %s FROM %s AS l, LATERAL (SELECT r.* FROM %s AS r WHERE r.id = l.run_id%s%s OFFSET 0) AS r
                WHERE %s""".formatted(
                        shown,
                        labels,
                        runs,
                        inStates(query, values),
                        conditions.withoutLabel(query, first.getKey(), values),
                        conditions.ofDriver(query, first, values));
    }

    /**
     * Lists the runs that a node executes. Reads only runs with a due time, because every run that has a node has one.
     */
    private String onNode(RunQuery query, Map<String, Value> values) {
        return "SELECT %s FROM (SELECT r.* FROM %s AS r WHERE due_at IS NOT NULL%s%s OFFSET 0) AS r"
                .formatted(shown, runs, inStates(query, values), conditions.of(query, values));
    }

    private static String inStates(RunQuery query, Map<String, Value> values) {
        if (query.states().isEmpty()) {
            return "";
        }
        values.put("states", RunConditions.texts(query.states()));
        return " AND %s = ANY (:states::text[])".formatted(STATE);
    }

    private String ofAll(RunQuery query, Map<String, Value> values) {
        return "SELECT %s FROM %s AS r WHERE true%s".formatted(shown, runs, conditions.of(query, values));
    }

    /** Lists the runs with a key, at most one for each name, tenant and kind of key. */
    private String withKey(RunQuery query, Map<String, Value> values) {
        String[] entries = KeyIndex.entries(Objects.requireNonNull(query.key()));
        values.put(
                "keys",
                (statement, index) ->
                        statement.setArray(index, statement.getConnection().createArrayOf("text", entries)));
        // Without OFFSET 0, the planner might scan the primary key backwards, because it does not know how rare a key
        // is.
        return "SELECT %s FROM (SELECT r.* FROM %s AS r WHERE %s = ANY (:keys)%s OFFSET 0) AS r WHERE true%s"
                .formatted(shown, runs, KeyIndex.ENTRY, conditions.of(query, values), inStates(query, values));
    }

    /**
     * Lists the runs that match a condition and the query's states. For a tenant, the statement reads that tenant's
     * runs, latest first, until the list is full.
     */
    private String matching(RunQuery query, String condition, Map<String, Value> values) {
        return "SELECT %s FROM %s AS r WHERE %s%s%s"
                .formatted(shown, runs, condition, conditions.of(query, values), inStates(query, values));
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
        return "%sSELECT %s FROM ((%s) OFFSET 0) AS r".formatted(names, shown, String.join(") UNION ALL (", parts));
    }

    private String latest(String condition, RunQuery query, Map<String, Value> values) {
        return "SELECT r.* FROM %s AS r WHERE %s%s ORDER BY id DESC LIMIT :limit"
                .formatted(runs, condition, conditions.of(query, values));
    }

    /**
     * Returns a query over a range of the index {@code saga_run_list}. Without the range, the planner might scan the
     * primary key backwards until it has found enough matching runs.
     */
    private String listed(Set<RunState> states, RunQuery query, Map<String, Value> values) {
        RunId before = query.before();
        values.put("states", RunConditions.texts(states));
        values.put("before", RunConditions.uuid(before == null ? LAST : before.value()));
        if (query.run() != null) {
            values.put("run", RunConditions.run(query));
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
                        conditions.withoutRunAndPage(query, values));
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
                ORDER BY id DESC LIMIT :limit""".formatted(runs, conditions.withoutAge(query, values));
    }

    private static RunRow row(Row row) throws SQLException {
        return row(row, LabelRows.read(row.textOrNull("labels")));
    }

    private static RunRow row(Row row, Map<String, String> labels) throws SQLException {
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
                labels,
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
     * Counts the due runs of each name separately, lane by lane in the order of the index. Therefore many runs of one
     * name, such as a name whose code was removed, do not hide the runs of other names.
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
