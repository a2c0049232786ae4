package io.sagaspring.run.postgres;

import io.sagaspring.due.Backlog;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunQuery;
import io.sagaspring.run.RunRow;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Lists and counts runs for display. */
final class RunLists {

    /** The number up to which the due runs of one name are counted. */
    private static final int MANY = 1_000;

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

    private final RunSelections selections;
    private final Sql find;
    private final Sql findAll;
    private final Sql findWithLabels;
    private final Sql troubled;
    private final Sql backlog;

    RunLists(SagaSchema schema) {
        String runs = schema.table("saga_run");
        String shown = "%s, %s AS labels".formatted(COLUMNS, new LabelRows(schema).of());
        this.selections = new RunSelections(schema, shown);
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
        return selections.listing(query).on(connection).list(RunLists::row);
    }

    /** Counts runs, at most {@code most}. */
    long count(Connection connection, RunQuery query, int most) throws SQLException {
        return selections
                .counting(query, most)
                .on(connection)
                .first(row -> row.number("many"))
                .orElseThrow();
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
