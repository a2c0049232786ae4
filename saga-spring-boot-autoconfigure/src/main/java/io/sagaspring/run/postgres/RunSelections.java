package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.SqlCall.Value;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Composes the statements that list and count runs. With the help of an index, each statement reads about as many rows
 * as it returns or counts. There are four exceptions. A list of running runs may read all runs with a due time. A list of
 * completed runs with a rare name may read all ended runs. A list by key without a name may read all keys in the index. A
 * list of a tenant's runs in a rare state may read all runs of the tenant. More indexes would avoid these exceptions, but
 * each would cost every run an index entry.
 */
final class RunSelections {

    /** The number of long waits up to which all of them are read and sorted by id. */
    private static final int SORTED = 10_000;

    private static final String WAITING_SINCE = "coalesce(since, started_at)";

    private final String runs;
    private final String labels;
    private final RunConditions conditions;
    private final String shown;

    /**
     * Creates the composer.
     *
     * @param schema the schema of the tables
     * @param shown the columns that a list shows
     */
    RunSelections(SagaSchema schema, String shown) {
        this.runs = schema.table("saga_run");
        this.labels = schema.table("saga_label");
        this.conditions = new RunConditions(labels);
        this.shown = shown;
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
        String order = isByLabel(query) ? "l.run_id" : "r.id";
        String selection = isByState(query) ? byState(query, values) : byIndex(query, shown, values);
        values.put("limit", (statement, index) -> statement.setInt(index, query.limit()));
        return new Listing("run.list", "%s ORDER BY %s DESC LIMIT :limit".formatted(selection, order), values);
    }

    /** Counts the runs that a list of at most this many runs would contain. */
    Listing counting(RunQuery query, int most) {
        Map<String, Value> values = new HashMap<>();
        String order = isByLabel(query) ? "l.run_id" : "r.id";
        // A count by state needs no order, so it stops at its limit.
        String selection = isByState(query)
                ? countedByState(query, values)
                : "%s ORDER BY %s DESC".formatted(byIndex(query, "1", values), order);
        values.put("limit", (statement, index) -> statement.setInt(index, most));
        return new Listing(
                "run.count", "SELECT count(*) AS many FROM (%s LIMIT :limit) AS counted".formatted(selection), values);
    }

    private static boolean isByLabel(RunQuery query) {
        return query.key() == null && !query.labels().isEmpty();
    }

    private static boolean isByState(RunQuery query) {
        boolean isOfAll = query.run() == null && query.states().isEmpty() && query.olderThan() == null;
        return query.key() == null
                && query.labels().isEmpty()
                && query.node() == null
                && !isOfTenant(query)
                && !isOfAll;
    }

    private static boolean isOfTenant(RunQuery query) {
        String tenant = query.tenant();
        return tenant != null && !tenant.equals(RunQuery.WITHOUT_TENANT);
    }

    private String byIndex(RunQuery query, String columns, Map<String, Value> values) {
        if (query.key() != null) {
            return withKey(query, columns, values);
        }
        if (!query.labels().isEmpty()) {
            return withLabel(query, columns, values);
        }
        if (query.node() != null) {
            return onNode(query, columns, values);
        }
        // For a tenant, the statement reads that tenant's runs, latest first, until the list is full.
        return "SELECT %s FROM %s AS r WHERE true%s%s"
                .formatted(columns, runs, conditions.of(query, values), inStates(query, values));
    }

    /**
     * Reads the runs with the first label through its index, latest first, until the list is full. OFFSET 0 makes the planner look up
     * each run by its id. With outdated statistics, it might otherwise join the tables, and read them as a whole.
     */
    private String withLabel(RunQuery query, String columns, Map<String, Value> values) {
        Map.Entry<String, String> first = query.labels().entrySet().iterator().next();
        return """
                SELECT %s FROM %s AS l, LATERAL (SELECT r.* FROM %s AS r WHERE r.id = l.run_id%s%s OFFSET 0) AS r
                WHERE %s""".formatted(
                        columns,
                        labels,
                        runs,
                        inStates(query, values),
                        conditions.withoutLabel(query, first.getKey(), values),
                        conditions.ofDriver(query, first, values));
    }

    /**
     * Lists the runs that a node executes. Reads only runs with a due time, because every run that has a node has one.
     */
    private String onNode(RunQuery query, String columns, Map<String, Value> values) {
        return "SELECT %s FROM (SELECT r.* FROM %s AS r WHERE due_at IS NOT NULL%s%s OFFSET 0) AS r"
                .formatted(columns, runs, inStates(query, values), conditions.of(query, values));
    }

    private static String inStates(RunQuery query, Map<String, Value> values) {
        if (query.states().isEmpty()) {
            return "";
        }
        values.put("states", RunConditions.texts(query.states()));
        return " AND %s = ANY (:states::text[])".formatted(RunLists.STATE);
    }

    /** Lists the runs with a key, at most one for each name, tenant and kind of key. */
    private String withKey(RunQuery query, String columns, Map<String, Value> values) {
        Object[] entries = KeyIndex.entries(Objects.requireNonNull(query.key()));
        values.put(
                "keys",
                (statement, index) ->
                        statement.setArray(index, statement.getConnection().createArrayOf("text", entries)));
        // Without OFFSET 0, the planner might scan the primary key backwards, because it does not know how rare a key
        // is.
        return "SELECT %s FROM (SELECT r.* FROM %s AS r WHERE %s = ANY (:keys)%s OFFSET 0) AS r WHERE true%s"
                .formatted(columns, runs, KeyIndex.ENTRY, conditions.of(query, values), inStates(query, values));
    }

    private static Set<RunState> states(RunQuery query) {
        return EnumSet.copyOf(query.states().isEmpty() ? EnumSet.allOf(RunState.class) : query.states());
    }

    /** Takes the states that are not in the index {@code saga_run_list}, and returns the condition for each of them. */
    private static List<String> unlisted(Set<RunState> states) {
        List<String> found = new ArrayList<>();
        if (states.remove(RunState.PENDING)) {
            found.add("state = 'pending' AND NOT compensating");
        }
        if (states.remove(RunState.RUNNING)) {
            found.add("state = 'running' AND NOT compensating AND due_at IS NOT NULL");
        }
        if (states.remove(RunState.COMPENSATING)) {
            found.add("compensating AND ended_at IS NULL AND state IN ('pending', 'running', 'waiting')");
        }
        if (states.remove(RunState.COMPLETED)) {
            found.add("state = 'completed' AND ended_at IS NOT NULL");
        }
        return found;
    }

    /**
     * Reads the latest runs of each state, up to the limit, through the index for that state. Returns the latest of all
     * these runs.
     */
    private String byState(RunQuery query, Map<String, Value> values) {
        Set<RunState> states = states(query);
        List<String> parts = new ArrayList<>();
        for (String condition : unlisted(states)) {
            parts.add("SELECT r.* FROM %s AS r WHERE %s%s ORDER BY id DESC LIMIT :limit"
                    .formatted(runs, condition, conditions.of(query, values)));
        }
        boolean isByName = !states.isEmpty();
        if (query.olderThan() != null && states.remove(RunState.WAITING)) {
            parts.add(longestWaits(query, values));
        }
        if (!states.isEmpty()) {
            values.put("states", RunConditions.texts(states));
            parts.add(listed(":states::text[]", "", query, values));
        }
        // Without OFFSET 0, the planner would expect to stop as soon as the whole list is full, and would scan the
        // primary key.
        return "%sSELECT %s FROM ((%s) OFFSET 0) AS r"
                .formatted(isByName ? names(query) : "", shown, String.join(") UNION ALL (", parts));
    }

    private String names(RunQuery query) {
        return query.run() == null
                ? "WITH RECURSIVE %s ".formatted(RunLists.names(runs, RunLists.IS_LISTED))
                : "WITH names (run) AS (SELECT :run::text) ";
    }

    /**
     * Returns a query over a range of the index {@code saga_run_list}. Without the range, the planner might scan the
     * primary key backwards until it has found enough matching runs.
     */
    private String listed(String states, String condition, RunQuery query, Map<String, Value> values) {
        if (query.run() != null) {
            values.put("run", RunConditions.run(query));
        }
        RunConditions.Ids ids = RunConditions.Ids.of(query);
        values.put("first", RunConditions.uuid(ids.first()));
        values.put("end", RunConditions.uuid(ids.end()));
        return """
                SELECT r.* FROM names AS n, unnest(%s) AS s (state), LATERAL (
                    SELECT * FROM %s AS r WHERE %s
                        AND (r.run, r.state, r.id) >= (n.run, s.state, :first::uuid)
                        AND (r.run, r.state, r.id) < (n.run, s.state, :end::uuid)
                        AND NOT (compensating AND r.state = 'waiting')%s%s
                    ORDER BY r.run DESC, r.state DESC, r.id DESC LIMIT :limit) AS r""".formatted(states, runs, RunLists.IS_LISTED, condition, conditions.withoutRunAndPage(query, values));
    }

    /**
     * Lists the waiting runs that entered their state long ago. If there are few, the statement finds all of them through
     * the index of waits, and then sorts them by id. If there are many, it reads the waiting runs in the order of their
     * ids until the list is full.
     */
    private String longestWaits(RunQuery query, Map<String, Value> values) {
        String many = "(SELECT count(*) FROM longest) > %s".formatted(SORTED);
        return """
                WITH longest AS MATERIALIZED (%s ORDER BY %s LIMIT %s)
                (SELECT r.* FROM (SELECT id FROM longest WHERE NOT %s ORDER BY id DESC LIMIT :limit) AS f, LATERAL (
                    SELECT * FROM %s AS r WHERE r.id = f.id) AS r)
                UNION ALL (%s)""".formatted(
                        waits("id", query, values),
                        WAITING_SINCE,
                        SORTED + 1,
                        many,
                        runs,
                        listed("ARRAY['waiting']", " AND " + many, query, values));
    }

    private String waits(String columns, RunQuery query, Map<String, Value> values) {
        String age = "";
        if (query.olderThan() != null) {
            values.put("age", Columns.millis(query.olderThan()));
            age = " AND %s <= (SELECT clock_timestamp() - :age * INTERVAL '1 millisecond')".formatted(WAITING_SINCE);
        }
        return "SELECT %s FROM %s AS r WHERE state = 'waiting' AND NOT compensating%s%s"
                .formatted(columns, runs, age, conditions.withoutAge(query, values));
    }

    /**
     * Selects runs state by state, in no order. A count of waiting runs walks along the index of waits, and the counts of
     * most other states need nothing but the index {@code saga_run_list}.
     */
    private String countedByState(RunQuery query, Map<String, Value> values) {
        Set<RunState> states = states(query);
        List<String> parts = new ArrayList<>();
        for (String condition : unlisted(states)) {
            parts.add("SELECT 1 FROM %s AS r WHERE %s%s LIMIT :limit"
                    .formatted(runs, condition, conditions.of(query, values)));
        }
        if (states.remove(RunState.WAITING)) {
            parts.add("%s ORDER BY %s LIMIT :limit".formatted(waits("1", query, values), WAITING_SINCE));
        }
        String names = "";
        if (!states.isEmpty()) {
            names = names(query);
            if (query.run() != null) {
                values.put("run", RunConditions.run(query));
            }
            values.put("states", RunConditions.texts(states));
            parts.add("""
                    SELECT 1 FROM names AS n, unnest(:states::text[]) AS s (state), LATERAL (
                        SELECT FROM %s AS r WHERE %s AND r.run = n.run AND r.state = s.state%s LIMIT :limit) AS r""".formatted(runs, RunLists.IS_LISTED, conditions.withoutRun(query, values)));
        }
        return "%sSELECT 1 FROM ((%s)) AS r".formatted(names, String.join(") UNION ALL (", parts));
    }
}
