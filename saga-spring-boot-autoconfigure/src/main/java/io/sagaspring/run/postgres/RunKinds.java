package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.KindCounts;
import io.sagaspring.run.RunCount;
import io.sagaspring.run.RunState;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts the runs of each name and state. The names are found in indexes, one after the other. Each count is a range of an
 * index that ends at a limit. Only the runs with a due time and the compensating runs are read themselves, because no index
 * has their states.
 */
final class RunKinds {

    /**
     * The factor by which ended runs are counted further than others. No index has the state {@code completed}, so the
     * number of completed runs is a difference.
     */
    private static final int FURTHER = 3;

    private final Sql listed;
    private final Sql ended;
    private final Sql due;
    private final Sql standing;
    private final Sql compensating;

    RunKinds(SagaSchema schema) {
        String runs = schema.table("saga_run");
        this.listed = Sql.named(
                "run.kinds", """
                WITH RECURSIVE %1$s
                SELECT n.run, s.state, c.many, false AS more
                FROM names AS n, unnest(ARRAY['waiting', 'failed', 'cancelled', 'blocked', 'in_doubt', 'parked',
                    'compensation_failed']) AS s (state), LATERAL (
                    SELECT count(*) AS many FROM (SELECT FROM %2$s AS r
                        WHERE %3$s AND r.run = n.run AND r.state = s.state LIMIT :limit) AS f) AS c
                WHERE c.many > 0""".formatted(RunLists.names(runs, RunLists.IS_LISTED), runs, RunLists.IS_LISTED));
        this.ended = Sql.named("run.kinds-ended", """
                WITH RECURSIVE %1$s
                SELECT n.run, 'completed' AS state, c.many, false AS more
                FROM names AS n, LATERAL (
                    SELECT count(*) AS many FROM (SELECT FROM %2$s AS r
                        WHERE r.ended_at IS NOT NULL AND r.run = n.run LIMIT :limit) AS f) AS c
                WHERE n.run IS NOT NULL""".formatted(RunLists.names(runs, "r.ended_at IS NOT NULL"), runs));
        this.due = Sql.named("run.kinds-due", """
                WITH RECURSIVE %1$s
                SELECT d.run, d.state, count(*) AS many, bool_or(d.read >= :limit) AS more
                FROM names AS n, (VALUES (true), (false)) AS lane (fresh), LATERAL (
                    SELECT f.run, f.state, count(*) OVER () AS read FROM (
                        SELECT r.run, r.state FROM %2$s AS r
                        WHERE r.due_at IS NOT NULL AND %3$s = n.run AND (r.token IS NULL) = lane.fresh
                        ORDER BY r.due_at LIMIT :limit) AS f) AS d
                WHERE d.state IN ('pending', 'running') GROUP BY d.run, d.state""".formatted(
                        RunLists.names(runs, "r.due_at IS NOT NULL", RunLists.LANE), runs, RunLists.LANE));
        this.standing =
                Sql.named("run.kinds-queued", """
                SELECT d.run, 'pending' AS state, count(*) AS many, bool_or(d.read >= :limit) AS more
                FROM %1$s AS q, LATERAL (
                    SELECT f.run, count(*) OVER () AS read FROM (
                        SELECT r.run FROM %2$s AS r WHERE r.queue = q.queue AND %3$s LIMIT :limit) AS f) AS d
                GROUP BY d.run""".formatted(schema.table("saga_queue"), runs, QueuePick.STANDS));
        this.compensating = Sql.named("run.kinds-back", """
                SELECT f.run, f.state, count(*) AS many, false AS more FROM (
                    SELECT r.run, r.state FROM %s AS r WHERE compensating AND ended_at IS NULL
                    ORDER BY r.id DESC LIMIT :limit) AS f
                WHERE f.state IN ('pending', 'running', 'waiting') GROUP BY f.run, f.state""".formatted(runs));
    }

    /** Counts up to a number of runs for each name and state. */
    List<KindCounts> count(Connection connection, int most, Set<String> known) throws SQLException {
        int further = FURTHER * (most + 1);
        Tally tally = new Tally();
        tally.add(listed.on(connection).with("limit", further));
        tally.add(ended.on(connection).with("limit", further));
        tally.add(due.on(connection).with("limit", most + 1));
        tally.add(standing.on(connection).with("limit", most + 1));
        tally.moveCompensating(compensating.on(connection).with("limit", most + 1));
        return tally.result(most, further, known);
    }

    /** The numbers while they are added. */
    private static final class Tally {

        private final Map<String, EnumMap<RunState, Integer>> numbers = new TreeMap<>();
        private final Set<String> incomplete = new HashSet<>();

        void add(SqlCall call) throws SQLException {
            call.visit(List.of(row -> {
                String run = row.text("run");
                int many = (int) row.number("many");
                RunState.find(row.text("state")).ifPresent(state -> add(run, state, many));
                if (row.is("more")) {
                    incomplete.add(run);
                }
            }));
        }

        /** A compensating run is stored as pending, running or waiting, but is shown as compensating. */
        void moveCompensating(SqlCall call) throws SQLException {
            call.visit(List.of(row -> {
                String run = row.text("run");
                int many = (int) row.number("many");
                RunState.find(row.text("state")).ifPresent(state -> {
                    add(run, state, -many);
                    add(run, RunState.COMPENSATING, many);
                });
            }));
        }

        private void add(String run, RunState state, int many) {
            int unused = numbers.computeIfAbsent(run, name -> new EnumMap<>(RunState.class))
                    .merge(state, many, Integer::sum);
        }

        List<KindCounts> result(int most, int further, Set<String> known) {
            return numbers.entrySet().stream()
                    .map(each -> new KindCounts(
                            each.getKey(),
                            known.contains(each.getKey()),
                            counts(each.getValue(), most, further, incomplete.contains(each.getKey()))))
                    .filter(each -> !each.states().isEmpty())
                    .toList();
        }

        private static Map<RunState, RunCount> counts(
                EnumMap<RunState, Integer> of, int most, int further, boolean isIncomplete) {
            int ended = of.getOrDefault(RunState.COMPLETED, 0);
            int others = of.getOrDefault(RunState.FAILED, 0) + of.getOrDefault(RunState.CANCELLED, 0);
            EnumMap<RunState, RunCount> counts = new EnumMap<>(RunState.class);
            of.forEach((state, read) -> {
                boolean isMore = switch (state) {
                    case COMPLETED -> ended >= further;
                    case PENDING, RUNNING -> isIncomplete;
                    default -> false;
                };
                int number = state == RunState.COMPLETED ? ended - others : read;
                // If as many others as are counted have ended, the number of completed runs is unknown, but not zero.
                if (number > 0 || (state == RunState.COMPLETED && isMore)) {
                    counts.put(state, new RunCount(Math.max(0, Math.min(most, number)), isMore || number > most));
                }
            });
            return counts;
        }
    }
}
