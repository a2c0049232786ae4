package io.sagaspring.run.postgres;

import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.run.QueueDepth;
import io.sagaspring.run.QueueDepth.Decision;
import io.sagaspring.run.QueuePlace;
import io.sagaspring.run.QueueStore.Cancelled;
import io.sagaspring.run.RunId;
import io.sagaspring.run.queue.QueueLimits;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements about queues as a whole. A change of the limits and a pause lock the queue's row, and then all its permits in
 * order. So they wait for the pickups under way. They increase the revision, so that a later pickup with an older snapshot takes no
 * permit.
 */
final class QueueRows {

    private static final int MOST_COUNTED = 10_000;

    /** The largest number of runs that join one queue in one statement. */
    private static final int MOST_JOINING = 1_000;

    /** The condition for the lane of a queue, written as in the index {@code saga_run_lane}. */
    private static final String IN_LANE =
            "coalesce(r.lane, r.run) = '%s' || q.queue AND (r.token IS NULL) = lane.fresh".formatted(QueuePlace.LANE);

    private final Sql next;
    private final Sql join;
    private final Sql declare;
    private final Sql redeclare;
    private final Sql lock;
    private final Sql lockPermits;
    private final Sql pause;
    private final Sql resume;
    private final Sql change;
    private final Sql removeFree;
    private final Sql fit;
    private final Sql addPermits;
    private final Sql addKeyPermits;
    private final Sql addRate;
    private final Sql shortenRates;
    private final Sql purgeRates;
    private final Sql healRates;
    private final Sql depths;
    private final Sql misfits;
    private final Sql reclaim;
    private final Sql heal;

    QueueRows(SagaSchema schema) {
        String runs = schema.table("saga_run");
        String queues = schema.table("saga_queue");
        String permits = schema.table("saga_permit");
        String keyPermits = schema.table("saga_key_permit");
        this.next = Sql.named("queue.look", """
                WITH %1$s
                SELECT min(ceil(extract(epoch FROM least(s.begins_at, s.joins_at) - (SELECT at FROM clock)) * 1000))::bigint AS millis
                FROM unnest((SELECT :queues::text[])) AS q (queue), LATERAL (
                    SELECT (SELECT coalesce(%7$s, (SELECT at FROM clock)) FROM %5$s AS s
                            WHERE s.queue = q.queue AND s.paused_at IS NULL
                                AND EXISTS (SELECT FROM %2$s AS r WHERE r.queue = q.queue AND %3$s)
                                AND EXISTS (SELECT FROM %4$s AS p WHERE p.queue = q.queue AND p.run_id IS NULL)) AS begins_at,
                        (SELECT min(d.due_at) FROM (VALUES (true), (false)) AS lane (fresh), LATERAL (
                            SELECT r.due_at FROM %2$s AS r WHERE %6$s
                                AND r.due_at <= (SELECT at FROM clock) + :within * INTERVAL '1 millisecond'
                            ORDER BY r.due_at LIMIT 1) AS d) AS joins_at) AS s""".formatted(
                RunTable.CLOCK, runs, QueuePick.STANDS, permits, queues, IN_LANE, new RateRows(schema).nextStart()));
        this.join = Sql.named("queue.join", """
                WITH %1$s, due AS MATERIALIZED (
                    SELECT d.* FROM unnest((SELECT :queues::text[])) AS q (queue), (VALUES (true), (false)) AS lane (fresh), LATERAL (
                        SELECT r.id, r.token IS NULL AND r.cancel_reason IS NOT NULL AS ends FROM %2$s AS r
                        WHERE %3$s AND r.due_at <= (SELECT at FROM clock)
                        ORDER BY r.due_at LIMIT %4$s FOR UPDATE SKIP LOCKED) AS d)
                UPDATE %2$s AS r SET due_at = NULL, since = at, state = CASE WHEN ends THEN 'cancelled' ELSE 'pending' END,
                    ended_at = CASE WHEN ends THEN at END,
                    error = CASE WHEN ends THEN 'The run was cancelled before it began.' ELSE r.error END
                FROM due, clock WHERE r.id = due.id
                RETURNING r.id, r.run, r.tenant, r.cancel_reason, ends""".formatted(RunTable.CLOCK, runs, IN_LANE, MOST_JOINING));
        this.declare = Sql.named("queue.declare", """
                INSERT INTO %s (queue, declared, at_once, for_each, keeps_permits, %s)
                VALUES (:queue, :declared, :atOnce, :forEach, :keeps, %s) ON CONFLICT DO NOTHING""".formatted(queues, RateRows.COLUMNS, RateRows.VALUES));
        this.redeclare = Sql.named("queue.redeclare", """
                UPDATE %s SET declared = :declared, at_once = :atOnce, for_each = :forEach, keeps_permits = :keeps, %s,
                    changed_at = NULL, changed_by = NULL, changed_why = NULL WHERE queue = :queue""".formatted(queues, RateRows.SET));
        this.lock = Sql.named("queue.lock", """
                SELECT declared, at_once, for_each, %s, changed_by FROM %s WHERE queue = :queue FOR UPDATE""".formatted(RateRows.COLUMNS, queues));
        this.lockPermits = Sql.named(
                "queue.lock-permits",
                "SELECT number FROM %s WHERE queue = :queue ORDER BY number FOR UPDATE".formatted(permits));
        this.pause = Sql.named("queue.pause", """
                UPDATE %s SET paused_at = clock_timestamp(), paused_by = :by, paused_why = :why
                WHERE queue = :queue AND paused_at IS NULL""".formatted(queues));
        this.resume = Sql.named("queue.resume", """
                UPDATE %s SET paused_at = NULL, paused_by = NULL, paused_why = NULL
                WHERE queue = :queue AND paused_at IS NOT NULL""".formatted(queues));
        this.change = Sql.named("queue.change", """
                UPDATE %s SET at_once = :atOnce, for_each = :forEach, %s, changed_at = clock_timestamp(), changed_by = :by,
                    changed_why = :why WHERE queue = :queue""".formatted(queues, RateRows.SET));
        this.removeFree = Sql.named(
                "queue.remove-free", "DELETE FROM %s WHERE queue = :queue AND run_id IS NULL".formatted(permits));
        this.fit = Sql.named("queue.fit", """
                WITH settings AS (
                    UPDATE %1$s SET revision = revision + 1 WHERE queue = :queue RETURNING queue, at_once, revision)
                UPDATE %2$s AS p SET revision = s.revision,
                    surplus = (SELECT count(*) FROM %2$s AS held WHERE held.queue = :queue) > s.at_once
                FROM settings AS s WHERE p.queue = s.queue""".formatted(queues, permits));
        this.addPermits = Sql.named("queue.add-permits", """
                INSERT INTO %2$s (queue, number, revision)
                SELECT s.queue, g.number, s.revision FROM %1$s AS s, LATERAL (
                    SELECT number FROM generate_series(1, %3$s) AS g (number)
                    WHERE NOT EXISTS (SELECT FROM %2$s AS p WHERE p.queue = s.queue AND p.number = g.number)
                    ORDER BY number
                    LIMIT greatest(0, s.at_once - (SELECT count(*) FROM %2$s AS p WHERE p.queue = s.queue))) AS g
                WHERE s.queue = :queue""".formatted(queues, permits, 2 * QueueLimits.MOST_AT_ONCE));
        this.addKeyPermits = Sql.named("queue.add-key-permits", """
                INSERT INTO %3$s (queue, queue_key, number, run_id)
                SELECT s.queue, r.queue_key,
                    (SELECT coalesce(max(k.number), 0) FROM %3$s AS k WHERE k.queue = s.queue AND k.queue_key = r.queue_key)
                        + row_number() OVER (PARTITION BY r.queue_key ORDER BY r.queue_number), r.id
                FROM %1$s AS s JOIN %2$s AS p ON p.queue = s.queue JOIN %4$s AS r ON r.id = p.run_id
                WHERE s.queue = :queue AND s.for_each IS NOT NULL
                    AND NOT EXISTS (SELECT FROM %3$s AS k WHERE k.run_id = r.id)""".formatted(queues, permits, keyPermits, runs));
        this.addRate = Sql.named("queue.add-rate", new RateRows(schema).added());
        this.shortenRates = Sql.named("queue.shorten-rates", new RateRows(schema).shortened("s.queue = :queue", ""));
        this.purgeRates = Sql.named("queue.purge-rates", new RateRows(schema).purged());
        this.healRates = Sql.named(
                "queue.heal-rates", new RateRows(schema).shortened("s.queue = ANY (:queues::text[])", "SKIP LOCKED"));
        this.depths = Sql.named("queue.depths", """
                SELECT s.*, (SELECT count(*) FROM %2$s AS p WHERE p.queue = s.queue AND p.run_id IS NOT NULL) AS in_use,
                    d.waiting, d.millis
                FROM %1$s AS s, LATERAL (
                    SELECT count(*) AS waiting,
                        coalesce(extract(epoch FROM clock_timestamp() - min(w.since)) * 1000, 0)::bigint AS millis
                    FROM (SELECT coalesce(r.since, r.started_at) AS since FROM %3$s AS r WHERE r.queue = s.queue AND %4$s
                        LIMIT %5$s) AS w) AS d
                ORDER BY s.queue""".formatted(queues, permits, runs, QueuePick.STANDS, MOST_COUNTED));
        this.misfits = Sql.named(
                "queue.misfits",
                "SELECT number FROM %s WHERE queue = :queue AND surplus AND run_id IS NULL LIMIT 1".formatted(permits));
        this.reclaim = Sql.named("queue.reclaim", """
                WITH %1$s, lost AS MATERIALIZED (
                    SELECT r.id FROM %2$s AS p JOIN %3$s AS r ON r.id = p.run_id
                    WHERE p.queue = ANY (:queues::text[]) AND r.lane IS NULL AND r.ended_at IS NULL
                        AND r.due_at <= (SELECT at FROM clock) - :after * INTERVAL '1 millisecond'
                    FOR UPDATE OF r SKIP LOCKED),
                mine AS (
                    UPDATE %3$s AS r SET state = 'pending', node = NULL, due_at = NULL, amid = r.amid OR r.state = 'running',
                        since = at, %4$s
                    FROM lost, clock WHERE r.id = lost.id RETURNING r.id, r.queue)%5$s
                SELECT id FROM mine""".formatted(
                        RunTable.CLOCK, permits, runs, PermitRows.NEEDS_PERMIT, new PermitRows(schema).freeing("")));
        this.heal = Sql.named("queue.heal", """
                WITH orphans AS (
                    SELECT p.queue, p.number, p.run_id FROM %1$s AS p WHERE p.queue = ANY (:queues::text[]) AND p.run_id IS NOT NULL
                        AND NOT EXISTS (SELECT FROM %2$s AS r WHERE r.id = p.run_id AND r.permit = p.number)),
                freed AS (
                    UPDATE %1$s AS p SET run_id = NULL FROM orphans AS o
                    WHERE p.queue = o.queue AND p.number = o.number AND p.run_id = o.run_id RETURNING o.run_id),
                of_key AS (DELETE FROM %3$s AS k USING freed WHERE k.run_id = freed.run_id)
                SELECT run_id FROM freed""".formatted(permits, runs, keyPermits));
    }

    Optional<Duration> untilNext(Connection connection, Set<String> queues, Duration within) throws SQLException {
        return next.on(connection)
                .texts("queues", queues)
                .with("within", Columns.millis(within))
                .first(row -> row.isNull("millis") ? Optional.<Duration>empty() : Optional.of(row.millis("millis")))
                .flatMap(found -> found)
                .filter(found -> found.compareTo(within) <= 0);
    }

    List<Cancelled> join(Connection connection, Set<String> queues) throws SQLException {
        return join
                .on(connection)
                .texts("queues", queues)
                .list(row -> row.is("ends")
                        ? Optional.of(new Cancelled(
                                new RunId(row.uuid("id")),
                                row.text("run"),
                                row.textOrNull("tenant"),
                                row.text("cancel_reason")))
                        : Optional.<Cancelled>empty())
                .stream()
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * The settings of a locked queue.
     *
     * @param declared the latest declaration
     * @param limits the limits
     * @param changedBy the person who has changed the limits since the declaration, or null
     */
    private record Settings(
            String declared, QueueLimits limits, @Nullable String changedBy) {}

    private Optional<Settings> locked(Connection connection, String queue) throws SQLException {
        return lock.on(connection)
                .with("queue", queue)
                .first(row -> new Settings(row.text("declared"), limits(row), row.textOrNull("changed_by")));
    }

    private static QueueLimits limits(Row row) throws SQLException {
        return new QueueLimits(
                row.integer("at_once"),
                row.isNull("for_each") ? null : row.integer("for_each"),
                RateRows.rate(row, "starts", "starts"),
                RateRows.rate(row, "each_starts", "each"));
    }

    Optional<String> declare(Connection connection, RunQueue queue) throws SQLException {
        boolean isNew = declaring(connection, declare, queue);
        Settings settings = locked(connection, queue.name()).orElseThrow();
        if (isNew) {
            fit(connection, queue.name());
            return Optional.empty();
        }
        if (settings.declared().equals(queue.toString())) {
            return Optional.empty();
        }
        boolean unused = declaring(connection, redeclare, queue);
        fit(connection, queue.name());
        return settings.changedBy() == null
                ? Optional.empty()
                : Optional.of("%s by %s".formatted(settings.limits(), settings.changedBy()));
    }

    private static boolean declaring(Connection connection, Sql statement, RunQueue queue) throws SQLException {
        return RateRows.bind(statement.on(connection), queue.limits())
                .with("queue", queue.name())
                .with("declared", queue.toString())
                .with("atOnce", queue.limits().atOnce())
                .with("forEach", forEach(queue.limits()))
                .with("keeps", queue.isKeepingPermits())
                .changesOne();
    }

    private static SqlCall.Value forEach(QueueLimits limits) {
        return (statement, index) -> statement.setObject(index, limits.atOnceForEach(), Types.INTEGER);
    }

    /**
     * Gives the queue as many permits as its limit allows. Removes the permits that no run holds. If runs hold more
     * permits than the limit, all these permits become surplus: no other run gets one of them. Otherwise adds the
     * missing permits. Call this method while the queue's row is locked.
     */
    private void fit(Connection connection, String queue) throws SQLException {
        lockPermits(connection, queue);
        for (Sql each : List.of(removeFree, fit, addPermits, addKeyPermits, addRate, shortenRates)) {
            int unused = each.on(connection).with("queue", queue).update();
        }
    }

    private void lockPermits(Connection connection, String queue) throws SQLException {
        List<Integer> unused = lockPermits.on(connection).with("queue", queue).list(row -> row.integer("number"));
    }

    boolean pause(Connection connection, String queue, String why, String by) throws SQLException {
        boolean pauses = pause.on(connection)
                .with("queue", queue)
                .with("by", by)
                .with("why", why)
                .changesOne();
        if (pauses) {
            fit(connection, queue);
        }
        return pauses;
    }

    boolean resume(Connection connection, String queue) throws SQLException {
        return resume.on(connection).with("queue", queue).changesOne();
    }

    boolean limits(Connection connection, String queue, QueueLimits limits, String why, String by) throws SQLException {
        boolean changes = RateRows.bind(change.on(connection), limits)
                .with("queue", queue)
                .with("atOnce", limits.atOnce())
                .with("forEach", forEach(limits))
                .with("by", by)
                .with("why", why)
                .changesOne();
        if (changes) {
            fit(connection, queue);
        }
        return changes;
    }

    /**
     * Returns true if a surplus permit is free: a run held it when the limit was lowered, and has ended since. The
     * queue may then have room for another permit.
     */
    boolean isMisfitting(Connection connection, String queue) throws SQLException {
        return misfits.on(connection).with("queue", queue).finds();
    }

    boolean fitAgain(Connection connection, String queue) throws SQLException {
        boolean isKnown = locked(connection, queue).isPresent();
        if (isKnown) {
            fit(connection, queue);
        }
        return isKnown;
    }

    List<QueueDepth> depths(Connection connection) throws SQLException {
        return depths.on(connection)
                .list(row -> new QueueDepth(
                        row.text("queue"),
                        limits(row),
                        row.integer("in_use"),
                        row.integer("waiting"),
                        row.millis("millis"),
                        decision(row, "changed"),
                        decision(row, "paused")));
    }

    private static @Nullable Decision decision(Row row, String prefix) throws SQLException {
        Instant at = row.instantOrNull(prefix + "_at");
        return at == null
                ? null
                : new Decision(
                        at,
                        Objects.requireNonNullElse(row.textOrNull(prefix + "_by"), ""),
                        Objects.requireNonNullElse(row.textOrNull(prefix + "_why"), ""));
    }

    int reclaim(Connection connection, Set<String> queues, Duration after) throws SQLException {
        for (Sql each : List.of(purgeRates, healRates)) {
            int unused = each.on(connection).texts("queues", queues).update();
        }
        return reclaim.on(connection)
                        .texts("queues", queues)
                        .with("after", after.toMillis())
                        .list(row -> row.uuid("id"))
                        .size()
                + heal.on(connection)
                        .texts("queues", queues)
                        .list(row -> row.uuid("run_id"))
                        .size();
    }
}
