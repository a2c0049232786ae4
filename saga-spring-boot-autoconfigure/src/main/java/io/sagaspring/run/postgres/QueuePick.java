package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.run.Permit;
import io.sagaspring.run.PickedUpRun;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunLease;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Begins runs of queues, with one statement. A run begins only if the statement gets a free permit for it. The statement
 * does not count the executing runs. It locks the permit's row, and so decides on the newest version of the row. The statement locks in
 * this order: the queue's rate, permits, runs, rates of keys, permits of keys. It waits for other transactions only at
 * the queue's rate, and at the rates and permits of keys, which it locks in the order of the keys.
 */
final class QueuePick {

    /** The condition of the index {@code saga_run_queue}, word for word. */
    static final String STANDS = "r.lane IS NOT NULL AND r.due_at IS NULL AND r.state = 'pending'";

    /**
     * The same condition in a form that the planner does not match with the index. Otherwise a plan that was made while
     * the queue was short would read the whole index to find one id.
     */
    private static final String STANDS_STILL = STANDS.replace("r.state", "r.state || ''");

    /** The number of keys that are looked at for each free permit. */
    private static final int KEYS_EACH = 4;

    /** If the rate of a key allows no run, the key is cheap to skip: this number of such keys counts as one key. */
    private static final int BLOCKED_KEYS_EACH = 32;

    /** The largest number of statements in one pickup. The next pickup continues at the next key. */
    private static final int ROUNDS = 8;

    /**
     * The suffix that turns a key into the smallest text after the key, because no key contains a smaller character.
     */
    private static final String BEHIND = "\u0001";

    private final SagaSchema schema;
    private final String runs;
    private final String steps;
    private final String node;
    private final long lease;
    private final LastWrites lastWrites;
    private final DueRuns due;
    private final RateRows rates;

    /** The key at which the next pickup of a queue begins, by the queue. */
    private final Map<String, String> turns = new ConcurrentHashMap<>();

    /** The statements that begin runs, by the number of slots. */
    private final Map<Integer, Sql> picks = new ConcurrentHashMap<>();

    QueuePick(SagaSchema schema, String node, Duration lease, LastWrites lastWrites, DueRuns due) {
        this.schema = schema;
        this.runs = schema.table("saga_run");
        this.steps = schema.table("saga_step");
        this.node = node;
        this.lease = lease.toMillis();
        this.lastWrites = lastWrites;
        this.due = due;
        this.rates = new RateRows(schema);
    }

    /**
     * Creates the statement for a number of slots. It has these parts:
     *
     * <ol>
     *   <li>{@code rate}: locks the rate of the queue, if it has one. The pickups of such a queue wait for each other.
     *   <li>{@code settings} and {@code free}: locks free permits. A permit with another revision than the settings in this statement's
     *       snapshot is not taken: the limits have changed, or the queue was paused, since the statement began.
     *   <li>{@code keys}: the next keys, up to a number. A key with all its permits in use does not count towards this
     *       number. A key whose rate is used up counts only as a fraction.
     *   <li>{@code heads}: the first runs of each key, as many as the key has permits left.
     *   <li>{@code chosen}: one run of each key, then a second one of each, and so on.
     *   <li>{@code locked}: locks these runs. If another node has locked one, the runs behind it in its key do not begin either.
     *   <li>{@code rated}: counts the starts of keys that have a rate.
     *   <li>{@code keyed}: takes the permits of keys. The snapshot only suggests a number that is free. The primary key
     *       decides whether it still is.
     *   <li>{@code begun}, {@code held}: gives one of the free permits to each run that has got everything else.
     *   <li>{@code picked}: begins these runs by an upsert, so that the planner has no join that could read the whole table.
     * </ol>
     */
    private Sql pick(Integer limit) {
        String keyPermits = schema.table("saga_key_permit");
        String held = "(SELECT count(*)::integer FROM %s AS s WHERE s.queue = :queue AND s.queue_key = k.queue_key)"
                .formatted(keyPermits);
        return Sql.named("queue.pick", """
                WITH RECURSIVE %1$s,
                settings AS MATERIALIZED (
                    SELECT for_each, keeps_permits, revision, %14$s FROM %2$s WHERE queue = :queue AND paused_at IS NULL),
                %15$s,
                free AS MATERIALIZED (
                    SELECT number, row_number() OVER (ORDER BY number) AS n FROM (
                        SELECT number FROM %3$s WHERE queue = :queue AND run_id IS NULL AND NOT surplus
                            AND revision = (SELECT revision FROM settings)
                        LIMIT %16$s FOR UPDATE SKIP LOCKED) AS f),
                room AS MATERIALIZED (
                    SELECT (SELECT count(*)::integer FROM free) AS permits, (SELECT for_each FROM settings) AS for_each),
                keys (queue_key, seen) AS (
                    (SELECT r.queue_key, 0 FROM %5$s AS r, room WHERE room.permits > 0
                        AND r.queue = :queue AND %6$s AND r.queue_key >= :from ORDER BY r.queue_key LIMIT 1)
                    UNION ALL
                    SELECT (SELECT r.queue_key FROM %5$s AS r WHERE r.queue = :queue AND %6$s AND r.queue_key > k.queue_key
                            ORDER BY r.queue_key LIMIT 1),
                        k.seen + CASE WHEN %7$s >= room.for_each THEN 0 WHEN %17$s THEN 1 ELSE %18$s END
                    FROM keys AS k, room WHERE k.queue_key IS NOT NULL AND k.seen < room.permits * %8$s * %18$s),
                heads AS MATERIALIZED (
                    SELECT h.id, k.queue_key, h.nth
                    FROM room, (SELECT queue_key FROM keys WHERE queue_key IS NOT NULL) AS k, LATERAL (
                        SELECT c.id, row_number() OVER (ORDER BY c.priority DESC, c.queue_number) AS nth FROM (
                            SELECT r.id, r.priority, r.queue_number FROM %5$s AS r
                            WHERE r.queue = :queue AND %6$s AND r.queue_key = k.queue_key AND r.run = ANY (:runs::text[])
                            ORDER BY r.priority DESC, r.queue_number LIMIT %4$s) AS c) AS h
                    WHERE h.nth <= coalesce(room.for_each - %7$s, %4$s)
                        AND ((SELECT each_step FROM settings) IS NULL OR (h.nth = 1 AND NOT %17$s))),
                chosen AS MATERIALIZED (
                    SELECT * FROM heads ORDER BY nth, queue_key LIMIT (SELECT permits FROM room)),
                maybe_locked AS MATERIALIZED (
                    SELECT c.queue_key, c.nth, l.*, row_number() OVER (PARTITION BY c.queue_key ORDER BY c.nth) AS of_key
                    FROM chosen AS c, LATERAL (
                        SELECT r.id, r.token, r.state, r.amid, r.attempts, r.journaled FROM %5$s AS r
                        WHERE r.id = c.id AND %21$s FOR UPDATE SKIP LOCKED) AS l),
                locked AS MATERIALIZED (SELECT * FROM maybe_locked WHERE nth = of_key),
                rated AS (
                    %19$s),
                keyed AS (
                    INSERT INTO %9$s (queue, queue_key, number, run_id)
                    SELECT :queue, k.queue_key, f.number, k.id FROM locked AS k, room, LATERAL (
                        SELECT g.number FROM generate_series(1, room.for_each) AS g (number)
                        WHERE NOT EXISTS (SELECT FROM %9$s AS s
                            WHERE s.queue = :queue AND s.queue_key = k.queue_key AND s.number = g.number)
                        ORDER BY g.number OFFSET k.of_key - 1 LIMIT 1) AS f
                    WHERE room.for_each IS NOT NULL
                        AND ((SELECT each_step FROM settings) IS NULL OR k.queue_key IN (SELECT queue_key FROM rated))
                    ORDER BY k.queue_key, f.number
                    ON CONFLICT DO NOTHING RETURNING run_id),
                begun AS MATERIALIZED (
                    SELECT l.*, row_number() OVER (ORDER BY l.nth, l.queue_key) AS n FROM locked AS l, room
                    WHERE (room.for_each IS NULL OR l.id IN (SELECT run_id FROM keyed))
                        AND ((SELECT each_step FROM settings) IS NULL OR l.queue_key IN (SELECT queue_key FROM rated))),
                used AS (
                    %20$s),
                held AS (
                    UPDATE %3$s AS p SET run_id = b.id FROM begun AS b JOIN free AS f USING (n)
                    WHERE p.queue = :queue AND p.number = f.number RETURNING p.run_id, p.number),
                counted AS MATERIALIZED (
                    SELECT b.id, b.n AS turn, b.token IS NOT NULL AS was_driven, b.amid AS interrupted, h.number, e.entries,
                        CASE WHEN e.entries > b.journaled THEN 1 ELSE b.attempts + 1 END AS attempt
                    FROM begun AS b JOIN held AS h ON h.run_id = b.id
                    CROSS JOIN LATERAL (SELECT CASE WHEN b.token IS NULL THEN 0 ELSE coalesce((
                        SELECT position + 1 FROM %10$s AS s WHERE s.run_id = b.id ORDER BY position DESC LIMIT 1), 0)
                        END AS entries) AS e),
                picked AS (
                    INSERT INTO %5$s AS r (id, run, format, input, started_at, token, journaled, attempts, state, node, due_at,
                        permit, keeps_permits)
                    SELECT c.id, '', '', '', at, nextval(%11$s), c.entries, c.attempt, 'running', :node,
                        at + :lease * INTERVAL '1 millisecond', c.number, s.keeps_permits
                    FROM counted AS c, clock, settings AS s
                    ON CONFLICT (id) DO UPDATE SET token = excluded.token, journaled = excluded.journaled,
                        picked_up_at = excluded.started_at, attempts = excluded.attempts, state = excluded.state,
                        node = excluded.node, due_at = excluded.due_at, lane = NULL, permit = excluded.permit,
                        keeps_permits = excluded.keeps_permits
                    RETURNING r.*),
                answer AS (
                    SELECT r.id, r.token, r.run, r.tenant, r.format, r.input, r.carried, c.was_driven, r.picked_up_at AS at,
                        r.attempts, false AS parked, %12$s, c.turn, c.interrupted, r.retries, c.entries, %13$s AS server,
                        r.queue, r.queue_key, r.permit, r.keeps_permits
                    FROM picked AS r JOIN counted AS c ON c.id = r.id)
                SELECT (SELECT permits FROM room) AS permits, (SELECT max(queue_key) FROM keys) AS last_key,
                    NOT EXISTS (SELECT FROM keys WHERE queue_key IS NOT NULL)
                        OR EXISTS (SELECT FROM keys WHERE queue_key IS NULL) AS is_last, p.*
                FROM (VALUES (1)) AS one LEFT JOIN answer AS p ON true""".formatted(
                                RunTable.CLOCK,
                                schema.table("saga_queue"),
                                schema.table("saga_permit"),
                                limit,
                                runs,
                                STANDS,
                                held,
                                KEYS_EACH,
                                keyPermits,
                                steps,
                                Fragments.literal(schema.table("saga_token")),
                                Columns.CONTROL_STATE,
                                lastWrites.server(),
                                RateRows.settings(),
                                rates.locked(),
                                RateRows.allowed(limit),
                                rates.blocksKey("k.queue_key"),
                                BLOCKED_KEYS_EACH,
                                rates.counted(),
                                rates.used(),
                                STANDS_STILL))
                .usingIndexes();
    }

    /** The result of one statement. */
    private static final class Round {
        final List<PickedUpRun> begun = new ArrayList<>();
        final List<UUID> continued = new ArrayList<>();
        final Map<RunId, Long> turns = new HashMap<>();
        final Map<RunId, String> keys = new HashMap<>();
        int permits;

        @Nullable
        String lastKey;

        boolean isLast;

        String lastServed() {
            return Objects.requireNonNull(
                    keys.get(begun.get(begun.size() - 1).runLease().id()));
        }
    }

    /**
     * Begins runs, at most one for each slot. Goes once around the keys, if necessary in several statements. The next
     * call continues after the last key that got a permit. If a permit is left, it continues after the last key that
     * was looked at.
     */
    List<PickedUpRun> take(Connection connection, String queue, Set<String> known, int slots) throws SQLException {
        List<PickedUpRun> begun = new ArrayList<>();
        List<UUID> continued = new ArrayList<>();
        String from = turns.getOrDefault(queue, "");
        boolean wrapped = from.isEmpty();
        for (int round = 0; round < ROUNDS && begun.size() < slots; round++) {
            Round found = round(connection, queue, known, slots - begun.size(), from);
            if (found.permits == 0) {
                break;
            }
            begun.addAll(found.begun);
            continued.addAll(found.continued);
            if (!found.begun.isEmpty() && found.permits == found.begun.size()) {
                from = found.lastServed() + BEHIND;
                break;
            }
            from = found.isLast || found.lastKey == null ? "" : found.lastKey + BEHIND;
            if (wrapped && from.isEmpty()) {
                break;
            }
            wrapped |= from.isEmpty();
        }
        turns.put(queue, from);
        return continued.isEmpty() ? begun : DueRuns.withJournals(begun, due.journals(connection, continued));
    }

    private Round round(Connection connection, String queue, Set<String> known, int slots, String from)
            throws SQLException {
        Round round = new Round();
        List<Integer> unused = picks.computeIfAbsent(slots, this::pick)
                .on(connection)
                .with("queue", queue)
                .with("from", from)
                .texts("runs", known)
                .with("node", node)
                .with("lease", lease)
                .list(row -> {
                    round.permits = row.integer("permits");
                    round.lastKey = row.textOrNull("last_key");
                    round.isLast = row.is("is_last");
                    if (!row.isNull("id")) {
                        PickedUpRun run = begun(row);
                        RunId id = run.runLease().id();
                        round.turns.put(id, row.number("turn"));
                        round.keys.put(id, row.text("queue_key"));
                        round.begun.add(run);
                        if (row.is("was_driven")) {
                            round.continued.add(id.value());
                        }
                    }
                    return 0;
                });
        round.begun.sort(
                Comparator.comparing(each -> round.turns.get(each.runLease().id())));
        return round;
    }

    private PickedUpRun begun(Row row) throws SQLException {
        Permit permit = new Permit(row.text("queue"), row.integer("permit"), row.is("keeps_permits"));
        RunLease runLease = new RunLease(new RunId(row.uuid("id")), Columns.token(row), permit);
        lastWrites.wrote(runLease, row.integer("entries"), row.timeOrNull("server"));
        return DueRuns.taken(row, runLease);
    }
}
