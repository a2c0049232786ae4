package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldRows;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.KeysetPage;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Holds the statements on {@code saga_lease} for people: lists, counts, and the freeing of a lease. */
final class LeaseListTable {

    private static final String COLUMNS = """
            name, token, node, touched_at, expires_at, completion,
            CASE WHEN position(chr(31) IN name) > 0 THEN split_part(name, chr(31), 1) END AS tenant,
            CASE WHEN completion IS NOT NULL THEN 'completed' WHEN expires_at > clock_timestamp() THEN 'held' ELSE 'free' END
                AS state""";

    private final String table;
    private final Sql one;
    private final Sql free;
    private final HeldRows held;

    LeaseListTable(SagaSchema schema) {
        this.table = schema.table("saga_lease");
        this.one = Sql.named("lease.show", "SELECT %s FROM %s WHERE name = :name".formatted(COLUMNS, table));
        // The new token fences off the previous owner. With its old token, the owner could still complete the work or
        // reattach, even if the lease had ended.
        this.free = Fragments.patient(
                "lease.free",
                """
                freed AS (
                    UPDATE %1$s AS l SET token = GREATEST(nextval(%2$s), l.token + 1), expires_at = NULL,
                        touched_at = clock_timestamp()
                    FROM clock WHERE l.name = :name AND l.token = :token AND l.completion IS NULL
                        AND l.expires_at > clock_timestamp()
                    RETURNING l.token)""".formatted(table, Fragments.literal(schema.table("saga_token"))),
                "SELECT token FROM freed");
        this.held = new HeldRows(
                "lease.loads",
                new HeldRows.Parts(
                        "",
                        "SELECT node, expires_at, ttl_millis FROM %s ORDER BY touched_at DESC".formatted(table),
                        "expires_at > clock_timestamp()",
                        "expires_at - ttl_millis * INTERVAL '1 millisecond'"));
    }

    KeysetPage<LeaseView> list(Connection connection, LeaseQuery query, @Nullable String after) throws SQLException {
        KeysetPage.Parts parts = parts(query, after);
        SqlCall call = parts.statement("lease.list").on(connection);
        values(query, after).forEach(call::with);
        return KeysetPage.read(parts, call, query.limit(), LeaseListTable::view);
    }

    private KeysetPage.Parts parts(LeaseQuery query, @Nullable String after) {
        List<String> conditions = new ArrayList<>();
        if (query.name() == null && query.tenant() != null) {
            conditions.add("coalesce(tenant, '') = :tenant");
        }
        if (query.node() != null) {
            conditions.add("node = :node");
        }
        if (query.state() != null) {
            conditions.add("state = :state");
        }
        String selection = "SELECT %s FROM %s WHERE true%s%s"
                .formatted(
                        COLUMNS,
                        table,
                        query.name() == null ? "" : " AND name = :name",
                        after == null ? "" : " AND name > :after");
        return new KeysetPage.Parts(selection, "name", conditions);
    }

    private static Map<String, String> values(LeaseQuery query, @Nullable String after) {
        Map<String, String> values = new TreeMap<>();
        if (query.name() != null) {
            values.put("name", stored(query.name(), query.tenant()));
        } else if (query.tenant() != null) {
            values.put("tenant", query.tenant());
        }
        if (query.node() != null) {
            values.put("node", query.node());
        }
        if (query.state() != null) {
            values.put("state", query.state().text());
        }
        if (after != null) {
            values.put("after", after);
        }
        return values;
    }

    private static String stored(String name, @Nullable String tenant) {
        return tenant == null || tenant.isEmpty() ? name : LeaseName.stored(name, tenant);
    }

    /** Returns the statement of a query, for EXPLAIN. */
    String selection(LeaseQuery query, @Nullable String after) {
        return parts(query, after).statement("lease.list").text();
    }

    Optional<LeaseView> find(Connection connection, LeaseName name) throws SQLException {
        return one.on(connection).with("name", name.text()).first(LeaseListTable::view);
    }

    private static LeaseView view(Row row) throws SQLException {
        LeaseState state = LeaseState.valueOf(row.text("state").toUpperCase(Locale.ROOT));
        boolean isHeld = state == LeaseState.HELD;
        String stored = row.text("name");
        String tenant = row.textOrNull("tenant");
        String completion = row.textOrNull("completion");
        boolean hasExpired = state == LeaseState.FREE && !row.isNull("expires_at");
        return new LeaseView(
                tenant == null ? stored : stored.substring(tenant.length() + 1),
                tenant,
                state,
                new FencingToken(row.number("token")),
                row.text("node"),
                isHeld ? row.instant("touched_at") : null,
                isHeld ? row.instant("expires_at") : null,
                isHeld ? null : row.instant(hasExpired ? "expires_at" : "touched_at"),
                completion == null ? null : Completion.valueOf(completion));
    }

    /** Frees a lease. The previous owner is fenced off. */
    boolean free(Connection connection, LeaseName name, FencingToken token) throws SQLException {
        try {
            return free.on(connection)
                    .with("patience", LeaseTable.LOCK_PATIENCE)
                    .with("name", name.text())
                    .with("token", token.value())
                    .first(row -> !row.isNull("token"))
                    .orElse(false);
        } catch (SQLException failed) {
            if (Fragments.isLockNotAvailable(failed)) {
                throw new LeaseTable.LockedException(failed);
            }
            throw failed;
        }
    }

    NodeLoads loads(Connection connection) throws SQLException {
        return held.on(connection);
    }

    /** Returns the statement that counts leases, for EXPLAIN. */
    String loads() {
        return held.text();
    }
}
