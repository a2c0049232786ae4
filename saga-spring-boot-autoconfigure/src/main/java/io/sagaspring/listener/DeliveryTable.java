package io.sagaspring.listener;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.listener.DeliveryStore.Addressee;
import io.sagaspring.listener.DeliveryStore.Ended;
import io.sagaspring.listener.DeliveryStore.PickedUp;
import io.sagaspring.listener.DeliveryStore.Publication;
import io.sagaspring.run.StorageLimits;
import io.sagaspring.run.StoredValue;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements on {@code saga_delivery}. While a node calls the listener, the row's due time is the end of its lease.
 *
 * <p>The statements that search for due deliveries walk from head to head of the lines. The index (listener, line, id)
 * finds the next head in one step, however many rows wait behind the heads.
 */
final class DeliveryTable implements RenewableRows {

    /** The most heads that one statement looks at. */
    static final int HEADS = 256;

    /** The largest number that a backlog shows. */
    private static final int MANY = 1_000;

    /** The error of a delivery whose last attempt has ended without a result. */
    static final String DIED = "In the last attempt, the node died or lost the lease.";

    private static final String MINE = "WHERE id = :id AND token = :token";
    private static final String IDLE = "(token IS NULL OR due_at <= clock_timestamp())";

    private static final String STATE = """
            CASE WHEN parked_at IS NOT NULL THEN 'PARKED' WHEN token IS NOT NULL AND due_at > clock_timestamp() THEN 'DELIVERING'
                WHEN token IS NULL AND attempts > 0 THEN 'RETRYING' ELSE 'WAITING' END""";

    private static final String VIEW =
            "id, listener, event, order_key, tenant, %s AS state, attempts, published_at, due_at, node, last_error"
                    .formatted(STATE);

    private final String node;
    private final Duration lease;
    private final Sql insert;
    private final Sql look;
    private final Sql heads;
    private final Sql pick;
    private final Sql done;
    private final Sql failed;
    private final Sql release;
    private final String table;
    private final Sql retry;
    private final Sql giveUp;
    private final Sql backlog;
    private final RenewalStatements held;

    DeliveryTable(SagaSchema schema, String node, Duration lease) {
        this.node = node;
        this.lease = lease;
        this.table = schema.table("saga_delivery");
        this.insert = Sql.named("delivery.insert", """
                INSERT INTO %s (listener, event, line, order_key, tenant, format, payload, carried, published_at, due_at)
                SELECT l.listener, l.event, l.line, l.order_key, :tenant, :format, :payload, :carried, clock_timestamp(),
                    clock_timestamp()
                FROM unnest(:listeners::text[], :events::text[], :lines::bigint[], :keys::text[]) WITH ORDINALITY
                    AS l (listener, event, line, order_key, n)
                ORDER BY l.n""".formatted(table));
        this.look = Sql.named("delivery.look", """
                WITH RECURSIVE %s
                SELECT (SELECT line FROM heads WHERE seen = %s) AS last_line,
                    ceil(extract(epoch FROM min(due_at) FILTER (WHERE NOT parked) - (SELECT now FROM clock)) * 1000)::bigint AS millis
                FROM heads""".formatted(heads(table, "1"), HEADS));
        this.heads = Sql.named("delivery.heads", """
                WITH RECURSIVE %s
                SELECT id, line, seen, found,
                    CASE WHEN is_due THEN pg_try_advisory_xact_lock(hashtextextended(:listener, line)) ELSE false END AS locked
                FROM heads""".formatted(heads(table, ":slots")))
                .usingIndexes();
        this.pick = Sql.named("delivery.pick", """
                WITH chosen AS MATERIALIZED (
                    SELECT d.id, d.attempts, d.last_error FROM %1$s AS d
                    WHERE d.id = ANY (:ids::bigint[]) AND d.parked_at IS NULL AND d.due_at <= (SELECT clock_timestamp())
                        AND NOT EXISTS (SELECT FROM %1$s AS h
                            WHERE h.listener = d.listener AND h.line = d.line AND h.token IS NOT NULL AND h.id <> d.id
                                AND h.due_at > (SELECT clock_timestamp()))
                    FOR UPDATE OF d SKIP LOCKED)
                INSERT INTO %1$s AS d (id, listener, event, line, format, payload, published_at, token, node, attempts, due_at,
                    parked_at, last_error) OVERRIDING SYSTEM VALUE
                SELECT id, '', '', 0, '', '', clock_timestamp(), nextval(%2$s), :node,
                    attempts + CASE WHEN attempts >= :attempts THEN 0 ELSE 1 END,
                    clock_timestamp() + :lease * INTERVAL '1 millisecond',
                    CASE WHEN attempts >= :attempts THEN clock_timestamp() END,
                    CASE WHEN attempts >= :attempts THEN %3$s ELSE last_error END
                FROM chosen
                ON CONFLICT (id) DO UPDATE SET token = excluded.token, node = excluded.node, attempts = excluded.attempts,
                    due_at = excluded.due_at, parked_at = excluded.parked_at, last_error = excluded.last_error
                RETURNING d.id, d.listener, d.order_key, d.tenant, d.format, d.payload, d.carried, d.published_at, d.attempts,
                    d.token, d.parked_at IS NOT NULL AS parked""".formatted(
                                table, Fragments.literal(schema.table("saga_token")), Fragments.literal(DIED)))
                .usingIndexes();
        this.done = Sql.named("delivery.done", """
                WITH gone AS (DELETE FROM %1$s %2$s RETURNING id, listener, line)
                SELECT EXISTS (SELECT FROM %1$s AS d
                    WHERE d.listener = g.listener AND d.line = g.line AND d.id <> g.id) AS others_follow
                FROM gone AS g""".formatted(table, MINE));
        this.failed = Sql.named("delivery.failed", """
                UPDATE %s SET token = NULL, node = NULL, last_error = :error,
                    due_at = clock_timestamp() + :pause * INTERVAL '1 millisecond',
                    parked_at = CASE WHEN :park THEN clock_timestamp() END
                %s""".formatted(table, MINE));
        this.release = Sql.named("delivery.give-back", """
                UPDATE %s SET token = NULL, node = NULL, attempts = attempts - 1,
                    due_at = clock_timestamp() + :pause * INTERVAL '1 millisecond'
                %s""".formatted(table, MINE));
        this.retry = Sql.named("delivery.retry", """
                UPDATE %s SET parked_at = NULL, attempts = 0, due_at = clock_timestamp(), token = NULL, node = NULL
                WHERE id = :id AND (parked_at IS NOT NULL OR (token IS NULL AND attempts > 0))""".formatted(table));
        this.giveUp = Sql.named(
                "delivery.give-up",
                "DELETE FROM %s WHERE id = :id AND (parked_at IS NOT NULL OR %s) RETURNING %s"
                        .formatted(table, IDLE, VIEW));
        this.backlog = Sql.named("delivery.backlog", """
                WITH RECURSIVE %3$s
                SELECT l.listener, l.listener = ANY (:known::text[]) AS known, h.due, h.millis,
                    (SELECT count(*) FROM (SELECT FROM %1$s AS d WHERE d.listener = l.listener LIMIT %2$s) AS c) AS stored,
                    (SELECT count(*) FROM (SELECT FROM %1$s AS d
                        WHERE d.listener = l.listener AND d.parked_at IS NOT NULL LIMIT %2$s) AS c) AS parked
                FROM listeners AS l, LATERAL (
                    WITH RECURSIVE heads (line, due_at, parked, seen) AS (
                        (SELECT d.line, d.due_at, d.parked_at IS NOT NULL, 1 FROM %1$s AS d WHERE d.listener = l.listener
                            ORDER BY d.line, d.id LIMIT 1)
                        UNION ALL
                        SELECT n.line, n.due_at, n.parked, h.seen + 1 FROM heads AS h, LATERAL (
                            SELECT d.line, d.due_at, d.parked_at IS NOT NULL AS parked FROM %1$s AS d
                            WHERE d.listener = l.listener AND d.line > h.line ORDER BY d.line, d.id LIMIT 1) AS n
                        WHERE h.seen < %2$s)
                    SELECT count(*) AS due,
                        coalesce(extract(epoch FROM clock_timestamp() - min(due_at)) * 1000, 0)::bigint AS millis
                    FROM heads WHERE NOT parked AND due_at <= (SELECT clock_timestamp())) AS h
                WHERE l.listener IS NOT NULL ORDER BY l.listener""".formatted(table, MANY, listeners(table)));
        this.held = new RenewalStatements(
                "delivery",
                new RenewalStatements.Rows(
                        table, List.of("id"), "l.id = h.id::bigint", "l.parked_at IS NULL", "l.parked_at IS NULL"),
                "due_at = clock_timestamp() + %s * INTERVAL '1 millisecond'".formatted(lease.toMillis()));
    }

    /** Creates the part of a statement that finds the listeners that have deliveries, one after the other. */
    private static String listeners(String table) {
        return """
                listeners (listener) AS (
                    (SELECT listener FROM %1$s ORDER BY listener LIMIT 1)
                    UNION ALL
                    SELECT (SELECT d.listener FROM %1$s AS d WHERE d.listener > l.listener ORDER BY d.listener LIMIT 1)
                    FROM listeners AS l WHERE l.listener IS NOT NULL)""".formatted(table);
    }

    /** Creates the part of a statement that walks from head to head, until it has found enough that are due. */
    private static String heads(String table, String enough) {
        String next = """
                SELECT d.line, d.id, d.due_at, d.parked_at IS NOT NULL AS parked,
                        d.parked_at IS NULL AND d.due_at <= (SELECT now FROM clock) AS is_due
                    FROM %s AS d WHERE d.listener = :listener AND d.line > %s ORDER BY d.line, d.id LIMIT 1""";
        return """
                clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
                heads (line, id, due_at, parked, is_due, seen, found) AS (
                    (SELECT n.*, 1, CASE WHEN n.is_due THEN 1 ELSE 0 END FROM (%s) AS n)
                    UNION ALL
                    SELECT n.*, h.seen + 1, h.found + CASE WHEN n.is_due THEN 1 ELSE 0 END
                    FROM heads AS h, LATERAL (%s) AS n WHERE h.seen < %s AND h.found < %s)""".formatted(next.formatted(table, ":after"), next.formatted(table, "h.line"), HEADS, enough);
    }

    void insert(Connection connection, Publication publication) throws SQLException {
        List<Addressee> to = publication.addressees();
        StoredValue carried = publication.carried();
        int unused = insert.on(connection)
                .with("tenant", publication.tenant())
                .with("format", publication.payload().format())
                .with("payload", publication.payload().bytes())
                .with("carried", carried == null ? null : carried.bytes())
                .texts("listeners", to.stream().map(Addressee::listener).toList())
                .texts("events", to.stream().map(Addressee::event).toList())
                .longs("lines", to.stream().map(Addressee::line).toList())
                .array("keys", "text", to.stream().map(Addressee::orderKey).toArray())
                .update();
    }

    /**
     * The result of walking along the heads until one is due.
     *
     * @param untilDue the time until the first of these heads is due, or null if all are parked or there is none
     * @param last the last line, if the walk has reached {@link DeliveryTable#HEADS} heads and there may be more;
     *     otherwise null
     */
    record Look(@Nullable Duration untilDue, @Nullable Long last) {}

    Look look(Connection connection, String listener, long after) throws SQLException {
        return look.on(connection)
                .with("listener", listener)
                .with("after", after)
                .first(row -> new Look(
                        row.isNull("millis") ? null : Duration.ofMillis(row.number("millis")),
                        row.isNull("last_line") ? null : row.number("last_line")))
                .orElseThrow();
    }

    /**
     * Heads that are due and whose lines this transaction has locked.
     *
     * @param ids the rows
     * @param last the last line that was looked at
     * @param isEnd true if there are no lines behind it
     */
    record Heads(List<Long> ids, long last, boolean isEnd) {}

    Heads heads(Connection connection, String listener, long after, int slots) throws SQLException {
        List<Long> ids = new ArrayList<>();
        long[] seen = {0, 0, after};
        heads.on(connection)
                .with("listener", listener)
                .with("after", after)
                .with("slots", slots)
                .visit(List.of(row -> {
                    if (row.is("locked")) {
                        ids.add(row.number("id"));
                    }
                    seen[0] = Math.max(seen[0], row.number("seen"));
                    seen[1] = Math.max(seen[1], row.number("found"));
                    seen[2] = Math.max(seen[2], row.number("line"));
                }));
        return new Heads(ids, seen[2], seen[0] < HEADS && seen[1] < slots);
    }

    /**
     * Picks up heads. This is a statement of its own, because its snapshot must be newer than the locks on the lines.
     * Then the statement sees which rows the previous holders of these locks have picked up. A picked-up row is not
     * always the head, because a row with a lower id may have been committed later.
     */
    List<PickedUp> pick(Connection connection, List<Long> ids, int attempts) throws SQLException {
        return pick.on(connection)
                .longs("ids", ids)
                .with("node", node)
                .with("attempts", attempts)
                .with("lease", lease.toMillis())
                .list(DeliveryTable::pickedUp);
    }

    private static PickedUp pickedUp(Row row) throws SQLException {
        String format = row.text("format");
        byte[] carried = row.bytes("carried");
        return new PickedUp(
                new Delivery(
                        row.number("id"),
                        row.text("listener"),
                        row.textOrNull("order_key"),
                        row.integer("attempts"),
                        row.instant("published_at"),
                        new FencingToken(row.number("token"))),
                row.textOrNull("tenant"),
                new StoredValue(format, Objects.requireNonNull(row.bytes("payload"))),
                carried == null ? null : new StoredValue(format, carried),
                row.is("parked"));
    }

    Ended done(Connection connection, Delivery delivery) throws SQLException {
        return done.on(connection)
                .with("id", delivery.id())
                .with("token", delivery.token().value())
                .first(row -> row.is("others_follow") ? Ended.OTHERS_FOLLOW : Ended.DONE)
                .orElse(Ended.LOST);
    }

    boolean failed(Connection connection, Delivery delivery, Duration pause, boolean park, String error)
            throws SQLException {
        return failed.on(connection)
                .with("id", delivery.id())
                .with("token", delivery.token().value())
                .with("pause", StorageLimits.pause(pause).toMillis())
                .with("park", park)
                .with("error", StorageLimits.text(error))
                .changesOne();
    }

    boolean release(Connection connection, Delivery delivery, Duration pause) throws SQLException {
        return release.on(connection)
                .with("id", delivery.id())
                .with("token", delivery.token().value())
                .with("pause", pause.toMillis())
                .changesOne();
    }

    List<DeliveryView> find(Connection connection, DeliveryQuery query) throws SQLException {
        SqlCall call = finding(query).on(connection).with("limit", query.limit());
        if (query.listener() != null) {
            call.with("listener", query.listener());
        }
        if (query.orderKey() != null) {
            call.with("key", query.orderKey());
            if (query.tenant() != null) {
                call.with("line", Lines.of(query.tenant().isEmpty() ? null : query.tenant(), query.orderKey()));
            }
        }
        if (query.tenant() != null) {
            call.with("tenant", query.tenant());
        }
        if (query.after() != null) {
            call.with("after", query.after());
        }
        return call.list(DeliveryTable::view);
    }

    /**
     * Builds the statement of a query from the conditions that it needs, so that the planner can use an index for them. A
     * key and a tenant together determine the line, so that the deliveries of a key are found among those of all listeners.
     */
    private Sql finding(DeliveryQuery query) {
        StringBuilder text = new StringBuilder();
        boolean hasLine = query.orderKey() != null && query.tenant() != null;
        if (hasLine && query.listener() == null) {
            text.append("WITH RECURSIVE %s ".formatted(listeners(table)));
        }
        text.append("SELECT %s FROM %s WHERE true".formatted(VIEW, table));
        if (query.listener() != null) {
            text.append(" AND listener = :listener");
        } else if (hasLine) {
            text.append(" AND listener = ANY (ARRAY(SELECT l.listener FROM listeners AS l))");
        }
        text.append(hasLine ? " AND line = :line" : "")
                .append(query.orderKey() != null ? " AND order_key = :key" : "")
                .append(query.tenant() != null ? " AND coalesce(tenant, '') = :tenant" : "")
                .append(query.state() == null ? "" : inState(query.state()))
                .append(query.after() == null ? "" : " AND id > :after")
                .append(" ORDER BY id LIMIT :limit");
        return Sql.named("delivery.find", text.toString());
    }

    private static String inState(DeliveryState state) {
        return switch (state) {
            case PARKED -> " AND parked_at IS NOT NULL";
            case DELIVERING -> " AND parked_at IS NULL AND token IS NOT NULL AND due_at > clock_timestamp()";
            case RETRYING -> " AND parked_at IS NULL AND token IS NULL AND attempts > 0";
            case WAITING -> " AND %s = 'WAITING'".formatted(STATE);
        };
    }

    boolean retry(Connection connection, long id) throws SQLException {
        return retry.on(connection).with("id", id).changesOne();
    }

    Optional<DeliveryView> giveUp(Connection connection, long id) throws SQLException {
        return giveUp.on(connection).with("id", id).first(DeliveryTable::view);
    }

    private static DeliveryView view(Row row) throws SQLException {
        return new DeliveryView(
                row.number("id"),
                row.text("listener"),
                true,
                row.text("event"),
                row.textOrNull("order_key"),
                row.textOrNull("tenant"),
                DeliveryState.valueOf(row.text("state")),
                row.integer("attempts"),
                row.instant("published_at"),
                row.instant("due_at"),
                row.textOrNull("node"),
                row.textOrNull("last_error"));
    }

    List<ListenerBacklog> backlog(Connection connection, Set<String> known) throws SQLException {
        return backlog.on(connection)
                .texts("known", known)
                .list(row -> new ListenerBacklog(
                        row.text("listener"),
                        row.is("known"),
                        row.integer("stored"),
                        row.integer("due"),
                        Duration.ofMillis(Math.max(0, row.number("millis"))),
                        row.integer("parked")));
    }

    @Override
    public RenewalStatements renewals() {
        return held;
    }
}
