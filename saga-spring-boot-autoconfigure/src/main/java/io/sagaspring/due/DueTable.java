package io.sagaspring.due;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.TimePlace;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements on {@code saga_due}. While a node works on a row, the row's due time is the end of the node's
 * lease on it. After that time, another node can pick up the row.
 */
final class DueTable implements RenewableRows {

    private static final int LONGEST_ERROR = 8_000;

    /** The largest number of rows that a backlog reports for one kind in a database. */
    private static final int MANY = 1_000;

    /** The largest number of parked rows that are counted in a database. */
    static final int MOST_PARKED = 10_000;

    private static final String ITS_HOLDERS = "WHERE id = :id AND token = :token";

    private final String node;
    private final Duration lease;
    private final boolean ofTenants;
    private final Sql insert;
    private final Sql untilDue;
    private final String pick;
    private final Sql done;
    private final Sql failed;
    private final Sql release;
    private final Sql parked;
    private final Sql unhandled;
    private final Sql countParked;
    private final Sql giveUp;
    private final Sql backlog;
    private final Sql retry;
    private final RenewalStatements held;

    /** The statements that pick up rows, by the number of slots. */
    private final Map<Integer, Sql> picks = new ConcurrentHashMap<>();

    DueTable(SagaSchema schema, String node, Duration lease, boolean ofTenants) {
        String table = schema.table("saga_due");
        String tenant = ofTenants ? ", tenant" : "";
        String onlyTenant = ofTenants ? " AND (:tenant::text IS NULL OR coalesce(tenant, '') = :tenant)" : "";
        this.ofTenants = ofTenants;
        this.node = node;
        this.lease = lease;
        this.insert = Sql.named(
                "due.insert",
                "INSERT INTO %s (queue, work_key, payload, due_at%s) VALUES (:kind, :key, :payload, clock_timestamp()%s)"
                        .formatted(table, tenant, ofTenants ? ", :tenant" : ""));
        this.untilDue = Sql.named("due.look", """
                SELECT ceil(extract(epoch FROM due_at - clock_timestamp()) * 1000)::bigint AS millis FROM %s
                WHERE parked_at IS NULL AND queue = ANY (:kinds::text[])
                    AND due_at <= (SELECT clock_timestamp() + :within * INTERVAL '1 millisecond')
                ORDER BY due_at LIMIT 1""".formatted(table));
        // The upsert finds each row through the primary key, whatever the planner knows about the table.
        this.pick = """
                WITH due AS MATERIALIZED (
                    SELECT id, attempts FROM %1$s
                    WHERE parked_at IS NULL AND due_at <= (SELECT clock_timestamp()) AND queue = ANY (:kinds::text[])
                    ORDER BY due_at LIMIT {slots} FOR UPDATE SKIP LOCKED)
                INSERT INTO %1$s AS d (id, queue, work_key, payload, token, node, attempts, due_at, parked_at)
                OVERRIDING SYSTEM VALUE
                SELECT id, '', '', '', nextval(%2$s), :node, attempts + CASE WHEN attempts >= :attempts THEN 0 ELSE 1 END,
                    clock_timestamp() + :lease * INTERVAL '1 millisecond',
                    CASE WHEN attempts >= :attempts THEN clock_timestamp() END
                FROM due
                ON CONFLICT (id) DO UPDATE SET token = excluded.token, node = excluded.node, attempts = excluded.attempts,
                    due_at = excluded.due_at, parked_at = excluded.parked_at
                RETURNING d.id, d.queue, d.work_key, d.payload, d.attempts, d.token, d.parked_at IS NOT NULL AS parked%3$s""".formatted(table, Fragments.literal(schema.table("saga_token")), ofTenants ? ", d.tenant" : "");
        this.done = Sql.named("due.done", "DELETE FROM %s %s".formatted(table, ITS_HOLDERS));
        this.failed = Sql.named("due.failed", """
                UPDATE %s SET token = NULL, node = NULL, last_error = :error,
                    due_at = clock_timestamp() + :pause * INTERVAL '1 millisecond',
                    parked_at = CASE WHEN :park THEN clock_timestamp() END
                %s""".formatted(table, ITS_HOLDERS));
        this.release = Sql.named("due.give-back", """
                UPDATE %s SET token = NULL, node = NULL, attempts = attempts - 1,
                    due_at = clock_timestamp() + :pause * INTERVAL '1 millisecond'
                %s""".formatted(table, ITS_HOLDERS));
        this.parked =
                Sql.named("due.parked", """
                SELECT id, queue, work_key, attempts, coalesce(last_error, '') AS error, parked_at AS since%s FROM %s
                WHERE parked_at IS NOT NULL AND %s%s ORDER BY parked_at, id LIMIT :limit""".formatted(tenant, table, TimePlace.isAfter("parked_at", "id"), onlyTenant));
        this.unhandled =
                Sql.named("due.unhandled", """
                SELECT id, queue, work_key, attempts, due_at%s FROM %s
                WHERE parked_at IS NULL AND due_at <= (SELECT clock_timestamp()) AND queue <> ALL (:known::text[])
                    AND %s%s
                ORDER BY due_at, id LIMIT :limit""".formatted(tenant, table, TimePlace.isAfter("due_at", "id"), onlyTenant));
        this.countParked = Sql.named(
                "due.count-parked",
                "SELECT count(*) AS parked FROM (SELECT FROM %s WHERE parked_at IS NOT NULL LIMIT %s) AS p"
                        .formatted(table, MOST_PARKED));
        this.giveUp = Sql.named("due.give-up", """
                DELETE FROM %1$s WHERE id = :id%3$s
                    AND (parked_at IS NOT NULL OR (queue <> ALL (:known::text[]) AND due_at <= clock_timestamp()))
                RETURNING id, queue, work_key, attempts, coalesce(last_error, '') AS error,
                    coalesce(parked_at, due_at) AS since%2$s""".formatted(table, tenant, onlyTenant));
        this.backlog = Sql.named("due.backlog", """
                SELECT queue, queue = ANY (:known::text[]) AS known, least(count(*), %2$s) AS items,
                    (extract(epoch FROM clock_timestamp() - min(due_at)) * 1000)::bigint AS millis
                FROM %1$s WHERE parked_at IS NULL AND due_at <= (SELECT clock_timestamp())
                GROUP BY queue""".formatted(table, MANY));
        this.retry = Sql.named("due.retry", """
                UPDATE %s SET parked_at = NULL, attempts = 0, due_at = clock_timestamp(), token = NULL, node = NULL
                WHERE id = :id AND parked_at IS NOT NULL%s""".formatted(table, onlyTenant));
        this.held = new RenewalStatements(
                "due",
                new RenewalStatements.Rows(table, List.of("id"), "l.id = h.id::bigint", "true", "true"),
                "due_at = clock_timestamp() + %s * INTERVAL '1 millisecond'".formatted(lease.toMillis()));
    }

    record Picked(DueItem item, FencingToken token, boolean parked) {

        HeldLease held() {
            return new HeldLease(item.kind(), Long.toString(item.id()), token);
        }
    }

    void insert(Connection connection, String kind, String key, String payload, @Nullable String tenant)
            throws SQLException {
        of(tenant, insert.on(connection))
                .with("kind", kind)
                .with("key", key)
                .with("payload", payload)
                .update();
    }

    private SqlCall of(@Nullable String tenant, SqlCall call) {
        return ofTenants ? call.with("tenant", tenant) : call;
    }

    private @Nullable String tenantOf(Row row) throws SQLException {
        return ofTenants ? row.textOrNull("tenant") : null;
    }

    Optional<Duration> untilDue(Connection connection, Set<String> kinds, Duration within) throws SQLException {
        return untilDue.on(connection)
                .texts("kinds", kinds)
                .with("within", within.toMillis())
                .first(row -> row.millis("millis"));
    }

    /**
     * Picks up due rows. The attempt is counted before the work begins. Otherwise work that kills its node would never
     * be parked. The clock is read once, in a subquery, so that the due rows are found through an index. The limit is
     * part of the statement's text. With a parameter instead, the server would plan the statement at each call.
     */
    List<Picked> pick(Connection connection, Set<String> kinds, int slots, int attempts) throws SQLException {
        return picks.computeIfAbsent(
                        slots,
                        limit -> Sql.named("due.pick", pick.replace("{slots}", limit.toString()))
                                .usingIndexes())
                .on(connection)
                .texts("kinds", kinds)
                .with("node", node)
                .with("attempts", attempts)
                .with("lease", lease.toMillis())
                .list(row -> new Picked(
                        new DueItem(
                                row.number("id"),
                                row.text("queue"),
                                row.text("work_key"),
                                row.text("payload"),
                                row.integer("attempts"),
                                tenantOf(row)),
                        new FencingToken(row.number("token")),
                        row.is("parked")));
    }

    boolean done(Connection connection, Picked picked) throws SQLException {
        return done.on(connection)
                .with("id", picked.item().id())
                .with("token", picked.token().value())
                .changesOne();
    }

    boolean failed(Connection connection, Picked picked, Duration pause, boolean park, String error)
            throws SQLException {
        // PostgreSQL cannot store the character NUL.
        String storable = error.replace('\0', ' ');
        return failed.on(connection)
                .with("error", storable.substring(0, Math.min(storable.length(), LONGEST_ERROR)))
                .with("pause", pause.toMillis())
                .with("park", park)
                .with("id", picked.item().id())
                .with("token", picked.token().value())
                .changesOne();
    }

    /** Releases work that was picked up, without counting the attempt. */
    boolean release(Connection connection, Picked picked, Duration pause) throws SQLException {
        return release.on(connection)
                .with("pause", pause.toMillis())
                .with("id", picked.item().id())
                .with("token", picked.token().value())
                .changesOne();
    }

    List<DueWork.Parked> parked(Connection connection, @Nullable String tenant, @Nullable TimePlace after, int limit)
            throws SQLException {
        return TimePlace.bind(of(tenant, parked.on(connection)), after)
                .with("limit", limit)
                .list(this::parked);
    }

    private DueWork.Parked parked(Row row) throws SQLException {
        return new DueWork.Parked(
                row.number("id"),
                row.text("queue"),
                row.text("work_key"),
                row.integer("attempts"),
                row.text("error"),
                row.instant("since"),
                tenantOf(row));
    }

    /**
     * Lists due work that has no handler on this node. Work in progress is not listed, because its due time is the end
     * of its lease, which is in the future.
     */
    List<DueWork.Unhandled> unhandled(
            Connection connection, Set<String> known, @Nullable String tenant, @Nullable TimePlace after, int limit)
            throws SQLException {
        return TimePlace.bind(of(tenant, unhandled.on(connection)), after)
                .texts("known", known)
                .with("limit", limit)
                .list(row -> new DueWork.Unhandled(
                        row.number("id"),
                        row.text("queue"),
                        row.text("work_key"),
                        row.integer("attempts"),
                        row.instant("due_at"),
                        tenantOf(row)));
    }

    int countParked(Connection connection) throws SQLException {
        return countParked.on(connection).first(row -> row.integer("parked")).orElseThrow();
    }

    /**
     * Removes work that is parked, or that is due and of a kind without a handler on this node. Due work can be removed
     * safely, because no node holds a lease on a row that is due.
     */
    Optional<DueWork.Parked> giveUp(Connection connection, long id, @Nullable String tenant, Set<String> known)
            throws SQLException {
        return of(tenant, giveUp.on(connection))
                .with("id", id)
                .texts("known", known)
                .first(this::parked);
    }

    /** Counts each kind separately, so that many rows of one kind, or an unknown kind, do not hide another one. */
    List<Backlog> backlog(Connection connection, Set<String> known) throws SQLException {
        return backlog.on(connection)
                .texts("known", known)
                .list(row -> new Backlog(
                        row.text("queue"),
                        row.is("known"),
                        row.integer("items"),
                        Duration.ofMillis(Math.max(0, row.number("millis")))));
    }

    boolean retry(Connection connection, long id, @Nullable String tenant) throws SQLException {
        return of(tenant, retry.on(connection)).with("id", id).changesOne();
    }

    @Override
    public RenewalStatements renewals() {
        return held;
    }
}
