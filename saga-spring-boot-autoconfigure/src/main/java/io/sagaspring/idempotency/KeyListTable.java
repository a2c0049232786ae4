package io.sagaspring.idempotency;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldRows;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.KeysetPage;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.TimePlace;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements on {@code saga_idempotency_key} for people: lists, counts, and the freeing of a key. A list is in
 * the order in which keys expire, because that index exists anyway. The primary key, a digest, breaks ties.
 */
final class KeyListTable {

    private static final HexFormat HEX = HexFormat.of();
    /** A later time may not be storable. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private static final String ORDER = "expires_at DESC, id DESC";

    private static final String COLUMNS = """
            id, operation, owner, account, tenant, token, node, claimed_at, expires_at, lease_until,
            CASE WHEN lease_until > clock_timestamp() THEN 'processing' WHEN expires_at <= clock_timestamp() THEN 'expired'
                WHEN lease_until IS NULL THEN 'completed' ELSE 'abandoned' END AS state""";

    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(1);

    private final String table;
    private final Sql some;
    private final Sql free;
    private final HeldRows held;

    KeyListTable(SagaSchema schema, Duration lease) {
        this.table = schema.table("saga_idempotency_key");
        this.some = Sql.named(
                "key.show", "SELECT %s FROM %s WHERE id IN (:id, :other) ORDER BY %s".formatted(COLUMNS, table, ORDER));
        this.free = Fragments.patient("key.free", """
                freed AS (
                    DELETE FROM %s AS k USING clock WHERE k.id = :id AND k.token = :token AND k.lease_until IS NOT NULL
                    RETURNING k.token)""".formatted(table), "SELECT token FROM freed");
        this.held = new HeldRows(
                "key.loads",
                new HeldRows.Parts(
                        "",
                        "SELECT node, lease_until FROM %s ORDER BY expires_at DESC".formatted(table),
                        "lease_until > clock_timestamp()",
                        "lease_until - %s * INTERVAL '1 millisecond'".formatted(lease.toMillis())));
    }

    /** The place of a key in the list. The id is the text of its bytes. */
    record Place(Instant expiresAt, String id) {

        Place {
            byte[] unused = HEX.parseHex(id);
            if (expiresAt.isBefore(Instant.EPOCH) || expiresAt.isAfter(LATEST)) {
                throw new IllegalArgumentException("No key expires at %s.".formatted(expiresAt));
            }
        }

        static Place of(KeyView key) {
            return new Place(key.expiresAt(), key.id());
        }

        static Place read(String text) {
            int separator = text.indexOf('_');
            if (separator < 0) {
                throw new IllegalArgumentException(
                        "The start of the page is not readable. Use 'next' of the previous page.");
            }
            return new Place(TimePlace.time(text.substring(0, separator)), text.substring(separator + 1));
        }

        String text() {
            return "%s_%s".formatted(expiresAt, id);
        }
    }

    KeysetPage<KeyView> list(Connection connection, KeyQuery query, @Nullable Place after) throws SQLException {
        KeysetPage.Parts parts = parts(query, after != null);
        SqlCall call = parts.statement("key.list").on(connection);
        filters(query).forEach(call::with);
        if (after != null) {
            call.with("id", HEX.parseHex(after.id()))
                    .with(
                            "expires",
                            (statement, index) ->
                                    statement.setObject(index, after.expiresAt().atOffset(ZoneOffset.UTC)));
        }
        return KeysetPage.read(parts, call, query.limit(), KeyListTable::view);
    }

    private KeysetPage.Parts parts(KeyQuery query, boolean isLater) {
        List<String> conditions = filters(query).keySet().stream()
                .map(column ->
                        column.equals("tenant") ? "coalesce(tenant, '') = :tenant" : "%1$s = :%1$s".formatted(column))
                .toList();
        String selection = "SELECT %s FROM %s%s"
                .formatted(COLUMNS, table, isLater ? " WHERE (expires_at, id) < (:expires::timestamptz, :id)" : "");
        return new KeysetPage.Parts(selection, ORDER, conditions);
    }

    private static Map<String, String> filters(KeyQuery query) {
        Map<String, String> filters = new TreeMap<>();
        put(filters, "operation", query.operation());
        put(filters, "owner", query.owner());
        put(filters, "tenant", query.tenant());
        put(filters, "node", query.node());
        put(filters, "state", query.state() == null ? null : query.state().text());
        return filters;
    }

    private static void put(Map<String, String> filters, String column, @Nullable String value) {
        if (value != null) {
            filters.put(column, value);
        }
    }

    /** Returns the statement of a query, for EXPLAIN. */
    String selection(KeyQuery query, boolean isLater) {
        return parts(query, isLater).statement("key.list").text();
    }

    List<KeyView> find(Connection connection, byte[] id, byte[] other) throws SQLException {
        return some.on(connection).with("id", id).with("other", other).list(KeyListTable::view);
    }

    private static KeyView view(Row row) throws SQLException {
        return new KeyView(
                HEX.formatHex(Objects.requireNonNull(row.bytes("id"))),
                row.text("operation"),
                row.text("owner"),
                row.text("account"),
                row.textOrNull("tenant"),
                KeyState.valueOf(row.text("state").toUpperCase(Locale.ROOT)),
                new FencingToken(row.number("token")),
                row.text("node"),
                row.instant("claimed_at"),
                row.instant("expires_at"),
                row.instantOrNull("lease_until"));
    }

    /** Deletes the claim of a request that has not been answered. Its owner can then no longer store a reply. */
    boolean free(Connection connection, byte[] id, FencingToken token) throws SQLException {
        try {
            return free.on(connection)
                    .with("patience", LOCK_PATIENCE.toMillis() + "ms")
                    .with("id", id)
                    .with("token", token.value())
                    .first(row -> !row.isNull("token"))
                    .orElse(false);
        } catch (SQLException failed) {
            if (Fragments.isLockNotAvailable(failed)) {
                throw new KeyTable.LockedException(failed);
            }
            throw failed;
        }
    }

    NodeLoads loads(Connection connection) throws SQLException {
        return held.on(connection);
    }

    /** Returns the statement that counts keys, for EXPLAIN. */
    String loads() {
        return held.text();
    }
}
