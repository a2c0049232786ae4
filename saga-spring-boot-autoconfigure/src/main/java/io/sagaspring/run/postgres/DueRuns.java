package io.sagaspring.run.postgres;

import io.sagaspring.fence.ElapsedClock;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.JournalEntry;
import io.sagaspring.run.Lanes;
import io.sagaspring.run.Lanes.Lane;
import io.sagaspring.run.Permit;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds due runs and picks them up with their journals. */
final class DueRuns {

    /**
     * The condition that a run belongs to a lane. It uses the expressions of the index {@code saga_run_lane}, so that
     * the planner can use the index. A run without a token has not been executed yet: it is fresh. A run that needs a
     * permit of a queue has the queue's lane, which is not the name of any code. So this node does not execute the run
     * without the permit.
     */
    private static final String IN_LANE = "coalesce(r.lane, r.run) = lane.run AND (r.token IS NULL) = lane.fresh";

    /** The largest number of runs that one statement picks up. If more slots are free, the statement is repeated. */
    private static final int MOST = 16;

    private static final String WITHIN_BOUND = "r.due_at BETWEEN lane.bound AND (SELECT at FROM clock)";

    private static final String DECIDING = "r.id, r.due_at, r.token, r.state, r.amid, r.attempts, r.journaled";

    private final String runs;
    private final String steps;
    private final String tokens;
    private final String node;
    private final long lease;
    private final LastWrites lastWrites;
    private final Lanes lanes = new Lanes();
    private final LaneBounds bounds;
    private final Sql untilDue;
    private final Sql pick;
    private final Sql pickOne;
    private final Sql journals;
    private final Sql freePermit;

    DueRuns(SagaSchema schema, String node, Duration lease, LastWrites lastWrites) {
        this(schema, node, lease, lastWrites, ElapsedClock.OF_THIS_MACHINE);
    }

    DueRuns(SagaSchema schema, String node, Duration lease, LastWrites lastWrites, ElapsedClock ticks) {
        this.bounds = new LaneBounds(ticks);
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.tokens = Fragments.literal(schema.table("saga_token"));
        this.node = node;
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
        this.untilDue = Sql.named("run.look", """
                SELECT ceil(extract(epoch FROM min(d.due_at) - clock_timestamp()) * 1000)::bigint AS millis
                FROM unnest((SELECT :runs::text[]), :fresh::boolean[]) AS lane (run, fresh), LATERAL (
                    SELECT r.due_at FROM %s AS r WHERE %s
                        AND r.due_at <= (SELECT clock_timestamp() + :within * INTERVAL '1 millisecond')
                    ORDER BY r.due_at LIMIT 1) AS d""".formatted(runs, IN_LANE));
        // A planner that sees the number of slots, and no lower bound of the due time, may prefer to read and sort all
        // due runs of a lane. So the number of slots is a subquery, and the due time has a lower bound, even if it is
        // -infinity. The limit of the inner queries is part of the text: with a parameter, the server might plan the
        // statement at each call.
        this.pick = Sql.named("run.pick", pick("""
                shares AS MATERIALIZED (
                    SELECT run, fresh, bound, count(*) AS share FROM (
                        SELECT lane.run, lane.fresh, lane.bound
                        FROM unnest((SELECT :runs::text[]), :fresh::boolean[], :bounds::timestamptz[]) WITH ORDINALITY
                            AS lane (run, fresh, bound, turn), LATERAL (
                            SELECT row_number() OVER () AS nth FROM (SELECT r.id FROM %1$s AS r
                                WHERE %2$s AND %5$s ORDER BY r.due_at LIMIT %3$s) AS f LIMIT (SELECT :slots::integer)) AS due
                        ORDER BY due.nth, lane.turn LIMIT (SELECT :slots::integer)) AS chosen
                    GROUP BY run, fresh, bound),
                due AS MATERIALIZED (
                    SELECT d.* FROM shares AS lane, LATERAL (
                        SELECT * FROM (SELECT %4$s FROM %1$s AS r WHERE %2$s AND %5$s
                            ORDER BY r.due_at LIMIT %3$s FOR UPDATE SKIP LOCKED) AS f LIMIT lane.share) AS d)""".formatted(runs, IN_LANE, MOST, DECIDING, WITHIN_BOUND)))
                .usingIndexes();
        this.pickOne = Sql.named("run.pick-one", pick("""
                due AS MATERIALIZED (
                    SELECT %s FROM %s AS r
                    WHERE id = :id AND run = ANY (:runs::text[]) AND lane IS NULL AND due_at IS NOT NULL
                        AND (node IS NULL OR due_at <= (SELECT at FROM clock)) FOR UPDATE SKIP LOCKED)""".formatted(DECIDING, runs)));
        this.freePermit = Sql.named(
                "queue.park", """
                WITH mine AS (
                    UPDATE %s SET %s WHERE id = :id AND token = :token AND state = 'parked' RETURNING id, queue)%s
                SELECT id FROM mine""".formatted(runs, PermitRows.NEEDS_PERMIT, new PermitRows(schema).freeing("")));
        this.journals = Sql.named("run.journals", """
                SELECT j.* FROM unnest((SELECT :ids::uuid[])) AS asked (id), LATERAL (
                    SELECT run_id, position, step, call, mark, format, payload, detail, until, at
                    FROM %s WHERE run_id = asked.id ORDER BY position) AS j""".formatted(steps));
    }

    /**
     * Returns the time until the first run with one of the known names is due. The first run of each lane is looked up
     * separately, so that due runs with unknown names are not read, however many there are.
     */
    Optional<Duration> untilDue(Connection connection, Set<String> known, Duration within) throws SQLException {
        return inLanes(untilDue.on(connection), Lanes.of(known).toList())
                .with("within", Columns.millis(within))
                .first(row -> row.isNull("millis") ? Optional.<Duration>empty() : Optional.of(row.millis("millis")))
                .flatMap(found -> found);
    }

    private static SqlCall inLanes(SqlCall call, List<Lane> asked) {
        return call.array("runs", "text", asked.stream().map(Lane::run).toArray())
                .array("fresh", "boolean", asked.stream().map(Lane::fresh).toArray());
    }

    /**
     * Picks up due runs. The slots are divided between the lanes that have due runs. From each lane, the runs that have
     * been due longest are picked up. Runs that other nodes have locked are counted for the division, and then
     * skipped. Slots that remain free for this reason are filled at the next pickup.
     *
     * <p>The attempt is counted before the run is executed. Otherwise a run that kills its node would never be parked.
     * The count starts again if the run has made progress since it was last picked up. The clock is read once, in a
     * subquery, so that the due runs are found through an index. The columns on which the pickup depends are read under
     * the row's lock. The count of entries may lack entries that another node adds before this node has locked the row.
     * The journal is read under the lock, so it contains them.
     */
    List<PickedUpRun> take(Connection connection, Set<String> known, int slots, int attempts) throws SQLException {
        List<PickedUpRun> taken = new ArrayList<>();
        boolean mayFindMore = slots > 0;
        while (mayFindMore) {
            List<Lane> asked = lanes.inTurn(known);
            List<Optional<Instant>> begins = bounds.of(asked);
            int most = Math.min(slots - taken.size(), MOST);
            Map<Lane, Instant> first = new HashMap<>();
            SqlCall call = inLanes(pick.on(connection), asked)
                    .array("bounds", "timestamptz", texts(begins))
                    .with("slots", most);
            List<PickedUpRun> found = taken(connection, call, attempts, first);
            taken.addAll(found);
            boolean enough = found.size() == most;
            bounds.found(first, enough);
            boolean wasBounded = begins.stream().anyMatch(Optional::isPresent);
            mayFindMore = taken.size() < slots && (enough || wasBounded);
        }
        return taken;
    }

    private static String[] texts(List<Optional<Instant>> bounds) {
        return bounds.stream()
                .map(bound -> bound.map(Instant::toString).orElse("-infinity"))
                .toArray(String[]::new);
    }

    Optional<PickedUpRun> take(Connection connection, RunId id, Set<String> known, int attempts) throws SQLException {
        SqlCall call = pickOne.on(connection).with("id", id.value()).texts("runs", known);
        return taken(connection, call, attempts, new HashMap<>()).stream().findFirst();
    }

    private String pick(String due) {
        return """
                WITH %1$s,
                %5$s,
                counted AS MATERIALIZED (
                    SELECT d.id, d.due_at AS was_due, d.token IS NOT NULL AS was_driven,
                        d.amid OR d.state = 'running' AS interrupted, f.entries,
                        CASE WHEN f.entries > d.journaled THEN 1 ELSE d.attempts + 1 END AS attempt
                    FROM due AS d CROSS JOIN LATERAL (SELECT CASE WHEN d.token IS NULL THEN 0 ELSE coalesce((
                        SELECT position + 1 FROM %3$s AS s WHERE s.run_id = d.id ORDER BY position DESC LIMIT 1), 0)
                        END AS entries) AS f),
                taken AS (
                    INSERT INTO %2$s AS r (id, run, format, input, started_at, token, journaled, amid, state, attempts, node, due_at)
                    SELECT id, '', '', '', at, nextval(%4$s), entries, interrupted,
                        CASE WHEN attempt > :attempts THEN 'parked' ELSE 'running' END, attempt,
                        CASE WHEN attempt > :attempts THEN NULL ELSE :node END,
                        CASE WHEN attempt > :attempts THEN NULL ELSE at + :lease * INTERVAL '1 millisecond' END
                    FROM counted, clock
                    ON CONFLICT (id) DO UPDATE SET token = excluded.token, journaled = excluded.journaled,
                        amid = excluded.amid, picked_up_at = excluded.started_at, state = excluded.state,
                        since = CASE WHEN excluded.state = 'parked' THEN excluded.started_at ELSE r.since END,
                        attempts = CASE WHEN excluded.state = 'parked' THEN r.attempts ELSE excluded.attempts END,
                        node = excluded.node, due_at = excluded.due_at
                    RETURNING r.*)
                SELECT r.id, r.token, r.run, r.tenant, r.format, r.input, r.carried, c.was_driven, r.picked_up_at AS at,
                    r.attempts, r.node IS NULL AS parked, %6$s, c.was_due, c.interrupted,
                    r.retries, c.entries, %7$s AS server, r.queue, r.permit, r.keeps_permits
                FROM taken AS r JOIN counted AS c ON c.id = r.id""".formatted(RunTable.CLOCK, runs, steps, tokens, due, Columns.CONTROL_STATE, lastWrites.server());
    }

    /** Picks up runs, and records the earliest due time of each lane in {@code first}. */
    private List<PickedUpRun> taken(Connection connection, SqlCall call, int attempts, Map<Lane, Instant> first)
            throws SQLException {
        Map<RunId, Instant> due = new HashMap<>();
        List<UUID> begun = new ArrayList<>();
        List<RunLease> parked = new ArrayList<>();
        List<PickedUpRun> taken = call.with("attempts", attempts)
                .with("node", node)
                .with("lease", lease)
                .list(row -> {
                    RunId id = new RunId(row.uuid("id"));
                    Instant wasDue = row.instant("was_due");
                    due.put(id, wasDue);
                    boolean wasExecuted = row.is("was_driven");
                    if (wasExecuted) {
                        begun.add(id.value());
                    }
                    first.merge(
                            new Lane(row.text("run"), !wasExecuted),
                            wasDue,
                            (one, other) -> one.isBefore(other) ? one : other);
                    PickedUpRun run = taken(row, new RunLease(id, Columns.token(row), permit(row)));
                    if (run.parked() && run.runLease().permit() != null) {
                        parked.add(run.runLease());
                    }
                    if (!run.parked()) {
                        lastWrites.wrote(run.runLease(), row.integer("entries"), row.timeOrNull("server"));
                    }
                    return run;
                });
        lanes.served(first.keySet());
        for (RunLease each : parked) {
            free(connection, each);
        }
        // A join may return its rows in any order, so sort the runs by their due times.
        taken.sort(Comparator.comparing(each -> due.get(each.runLease().id())));
        return begun.isEmpty() ? taken : withJournals(taken, journals(connection, begun));
    }

    private static @Nullable Permit permit(Row row) throws SQLException {
        return row.isNull("permit")
                ? null
                : new Permit(row.text("queue"), row.integer("permit"), row.is("keeps_permits"));
    }

    /** Frees the permit of a run that was parked in this transaction. */
    private void free(Connection connection, RunLease runLease) throws SQLException {
        boolean unused = freePermit
                .on(connection)
                .with("id", runLease.id().value())
                .with("token", runLease.token().value())
                .finds();
    }

    static PickedUpRun taken(Row row, RunLease runLease) throws SQLException {
        return new PickedUpRun(
                runLease,
                row.text("run"),
                row.textOrNull("tenant"),
                Objects.requireNonNull(Columns.stored(row, "format", "input")),
                Columns.stored(row, "format", "carried"),
                List.of(),
                Columns.controlState(row),
                row.instant("at"),
                row.integer("attempts"),
                row.integer("retries"),
                row.is("interrupted"),
                row.is("parked"));
    }

    static List<PickedUpRun> withJournals(List<PickedUpRun> taken, Map<RunId, List<JournalEntry>> journals) {
        return taken.stream()
                .map(each -> new PickedUpRun(
                        each.runLease(),
                        each.run(),
                        each.tenant(),
                        each.input(),
                        each.carried(),
                        journals.getOrDefault(each.runLease().id(), List.of()),
                        each.controlState(),
                        each.now(),
                        each.attempt(),
                        each.retries(),
                        each.interrupted(),
                        each.parked()))
                .toList();
    }

    /**
     * Reads the journals run by run (LATERAL). Otherwise the planner would choose to read the whole table while the
     * table's statistics still describe a small table.
     */
    Map<RunId, List<JournalEntry>> journals(Connection connection, Collection<UUID> ids) throws SQLException {
        Map<RunId, List<JournalEntry>> found = new HashMap<>();
        journals.on(connection)
                .array("ids", "uuid", ids.toArray())
                .visit(List.of(row -> found.computeIfAbsent(new RunId(row.uuid("run_id")), id -> new ArrayList<>())
                        .add(entry(row))));
        return found;
    }

    private static JournalEntry entry(Row row) throws SQLException {
        return new JournalEntry(
                row.integer("position"),
                row.text("step"),
                JournalEntry.Call.of(row.text("call")),
                JournalEntry.Mark.of(row.text("mark")),
                Columns.stored(row, "format", "payload"),
                row.textOrNull("detail"),
                null,
                row.instantOrNull("until"),
                row.instant("at"));
    }
}
