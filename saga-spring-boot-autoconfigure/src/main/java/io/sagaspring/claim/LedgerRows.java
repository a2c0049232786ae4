package io.sagaspring.claim;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.jdbc.SqlCall;
import io.sagaspring.jdbc.TimePlace;
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
 * The statements on the ledger's rows for janitors and operators. They read and lock claims that they do not own, and
 * write rows for orphans.
 */
final class LedgerRows {

    /** The number of claims among which the oldest one is searched. */
    private static final int MOST_AGES = 10_000;

    private static final String OF_TENANT = "\nAND tenant IS NOT DISTINCT FROM :tenant";

    private final String table;
    private final String tokens;
    private final boolean ofTenants;
    private final Sql lock;
    private final Sql lockSilent;
    private final Sql silent;
    private final Sql silentTenants;
    private final Sql unreachable;
    private final Sql all;
    private final Sql bySilence;
    private final Sql oldest;
    private final Sql one;
    private final Map<EntityTable, Sql> ofEntities = new ConcurrentHashMap<>();

    LedgerRows(String table, String tokens, boolean ofTenants) {
        this.ofTenants = ofTenants;
        this.table = table;
        this.tokens = tokens;
        String locking =
                "SELECT 1 FROM %s WHERE entity = :entity AND entity_id = :id AND token = :token".formatted(table);
        this.lock = Sql.named("claim.lock", locking + " FOR UPDATE SKIP LOCKED");
        this.lockSilent = Sql.named("claim.lock-silent", """
                %s
                AND alive_at < clock_timestamp() - :stuckAfter * INTERVAL '1 millisecond' FOR UPDATE SKIP LOCKED""".formatted(locking));
        // The subquery reads the clock only once. If the clock were read for each row, PostgreSQL could not use the
        // index.
        this.silent = select("claim.silent", """
                WHERE alive_at < (SELECT clock_timestamp()) - :stuckAfter * INTERVAL '1 millisecond'
                AND (entity, claim_state) IN (SELECT * FROM unnest(:entities::text[], :states::text[]))%s
                AND token <> ALL (:except::bigint[])
                ORDER BY alive_at LIMIT :limit""".formatted(ofTenants ? OF_TENANT : ""));
        this.silentTenants = Sql.named("claim.silent-tenants", """
                SELECT DISTINCT tenant FROM %s
                WHERE alive_at < (SELECT clock_timestamp()) - :stuckAfter * INTERVAL '1 millisecond'""".formatted(table));
        this.unreachable = select("claim.unreachable", """
                WHERE alive_at < (SELECT clock_timestamp()) - :stuckAfter * INTERVAL '1 millisecond'
                AND module = :module%s AND token <> ALL (:except::bigint[])
                ORDER BY alive_at LIMIT :limit""".formatted(OF_TENANT));
        String ofTenant = ofTenants ? "(:tenant::text IS NULL OR coalesce(tenant, '') = :tenant)" : "true";
        this.all = select("claim.all", "WHERE %s ORDER BY claimed_at LIMIT :limit".formatted(ofTenant));
        this.bySilence = select(
                "claim.by-silence",
                "WHERE %s AND %s ORDER BY alive_at, token LIMIT :limit"
                        .formatted(ofTenant, TimePlace.isAfter("alive_at", "token")));
        this.oldest = selectFrom(
                "claim.oldest",
                "(SELECT * FROM %s ORDER BY alive_at LIMIT %s) AS silent".formatted(table, MOST_AGES),
                "ORDER BY claimed_at LIMIT 1");
        this.one = select("claim.one", "WHERE entity = :entity AND entity_id = :id");
    }

    private Sql select(String name, String rest) {
        return selectFrom(name, table, rest);
    }

    private Sql selectFrom(String name, String rows, String rest) {
        return Sql.named(name, """
                SELECT entity, entity_id, workflow, module, claim_state, revert_to, requester, node, token, claimed_at, alive_at,
                    extract(epoch FROM clock_timestamp() - alive_at) * 1000 AS silent_millis,
                    extract(epoch FROM clock_timestamp() - claimed_at) * 1000 AS age_millis%s
                FROM %s %s""".formatted(ofTenants ? ", tenant" : "", rows, rest));
    }

    /**
     * Locks the row of a stuck claim, unless another transaction has locked it.
     *
     * @param connection the connection, in a transaction
     * @param held the row, as it was read before this call
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @return true if the row still has this token and is stuck, and is now locked by this transaction
     * @throws SQLException if the statement fails
     */
    boolean lockSilent(Connection connection, HeldLease held, Duration stuckAfter) throws SQLException {
        return bound(lockSilent.on(connection), held)
                .with("stuckAfter", stuckAfter.toMillis())
                .finds();
    }

    /**
     * Locks a row even if its owner still sends heartbeats, unless another transaction has locked it.
     *
     * @param connection the connection, in a transaction
     * @param held the row
     * @return true if the row still has this token, and is now locked by this transaction
     * @throws SQLException if the statement fails
     */
    boolean lock(Connection connection, HeldLease held) throws SQLException {
        return bound(lock.on(connection), held).finds();
    }

    /**
     * Lists the claims that a module's janitor may free. The claims whose last heartbeat is earliest come first. The
     * rows are not locked, so a claim may change before it is freed.
     *
     * @param connection the connection
     * @param declared the claim states of the module, by the name of the entity's table
     * @param tenant the tenant of the claims, or null for claims of no tenant; ignored if the application has no
     *     tenants
     * @param search the conditions and the limit of the search
     * @return the rows
     * @throws SQLException if the statement fails
     */
    List<ClaimedRow> silent(
            Connection connection, Map<String, Set<String>> declared, @Nullable String tenant, Search search)
            throws SQLException {
        List<Map.Entry<String, String>> pairs = declared.entrySet().stream()
                .flatMap(each -> each.getValue().stream().map(state -> Map.entry(each.getKey(), state)))
                .toList();
        SqlCall call = silent.on(connection);
        if (ofTenants) {
            call.with("tenant", tenant);
        }
        return search.bound(call)
                .texts("entities", pairs.stream().map(Map.Entry::getKey).toList())
                .texts("states", pairs.stream().map(Map.Entry::getValue).toList())
                .list(this::row);
    }

    /**
     * A search for stuck claims.
     *
     * @param stuckAfter the time without a heartbeat after which a claim counts as stuck
     * @param except the tokens of claims that the caller could not free
     * @param limit the greatest number of rows
     */
    record Search(Duration stuckAfter, Set<FencingToken> except, int limit) {

        private SqlCall bound(SqlCall call) {
            return call.with("stuckAfter", stuckAfter.toMillis())
                    .longs("except", except.stream().map(FencingToken::value).toList())
                    .with("limit", limit);
        }
    }

    /** Lists the tenants that have stuck claims, with an empty value for claims of no tenant. */
    List<Optional<String>> silentTenants(Connection connection, Duration stuckAfter) throws SQLException {
        return silentTenants
                .on(connection)
                .with("stuckAfter", stuckAfter.toMillis())
                .list(row -> Optional.ofNullable(row.textOrNull("tenant")));
    }

    /**
     * Lists a module's stuck claims of a tenant whose tables cannot be found. Selects the claims by the module's name
     * in the ledger.
     */
    List<ClaimedRow> unreachable(Connection connection, String module, @Nullable String tenant, Search search)
            throws SQLException {
        return search.bound(unreachable.on(connection))
                .with("module", module)
                .with("tenant", tenant)
                .list(this::row);
    }

    /**
     * Lists the current claims, oldest first.
     *
     * @param connection the connection
     * @param tenant the tenant of the claims, an empty string for claims of no tenant, or null for all claims
     * @param limit the greatest number of rows
     * @return the rows
     * @throws SQLException if the statement fails
     */
    List<ClaimedRow> all(Connection connection, @Nullable String tenant, int limit) throws SQLException {
        return list(all.on(connection), tenant, limit);
    }

    /** Lists the current claims like {@link #all}, but reads an index. The claims with the longest silence come first. */
    List<ClaimedRow> bySilence(Connection connection, @Nullable String tenant, @Nullable TimePlace after, int limit)
            throws SQLException {
        return list(TimePlace.bind(bySilence.on(connection), after), tenant, limit);
    }

    /** Finds the oldest of the claims with the longest silence. Returns an empty list if there is no claim. */
    List<ClaimedRow> oldest(Connection connection) throws SQLException {
        return oldest.on(connection).list(this::row);
    }

    /** Returns the statement that finds the oldest claim, for EXPLAIN. */
    String oldest() {
        return oldest.text();
    }

    private List<ClaimedRow> list(SqlCall call, @Nullable String tenant, int limit) throws SQLException {
        return (ofTenants ? call.with("tenant", tenant) : call)
                .with("limit", limit)
                .list(this::row);
    }

    Optional<ClaimedRow> one(Connection connection, String entity, String id) throws SQLException {
        return one.on(connection).with("entity", entity).with("id", id).first(this::row);
    }

    Optional<ClaimedRow> of(Connection connection, EntityTable entity, Object id) throws SQLException {
        Sql of = ofEntities.computeIfAbsent(
                entity, each -> select("claim.of", "WHERE entity = :entity AND entity_id = " + each.keyQuery()));
        return entity.bind(of.on(connection), id).with("entity", entity.name()).first(this::row);
    }

    private ClaimedRow row(Row row) throws SQLException {
        return new ClaimedRow(
                row.text("entity"),
                row.text("entity_id"),
                row.text("workflow"),
                row.text("module"),
                row.text("claim_state"),
                row.text("revert_to"),
                row.text("requester"),
                row.text("node"),
                new FencingToken(row.number("token")),
                row.instant("claimed_at"),
                row.instant("alive_at"),
                row.millis("silent_millis"),
                row.millis("age_millis"),
                ofTenants ? row.textOrNull("tenant") : null);
    }

    /**
     * Writes a row without an owner, with the current time, for every entity that is in a claim state and has no row.
     *
     * @param connection the connection
     * @param entity the entity's table
     * @param states the claim states of one module on the table
     * @param tenant the tenant of the table, if its rows contain no tenant
     * @return the number of written rows
     * @throws SQLException if the statement fails
     */
    int adoptOrphans(Connection connection, EntityTable entity, List<ClaimState> states, @Nullable String tenant)
            throws SQLException {
        int written = 0;
        for (ClaimState state : states) {
            // The parsed statement is not kept, because it is sent rarely.
            SqlCall call = Sql.named("claim.adopt", """
                    INSERT INTO %1$s (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                        attempt, token, claimed_at, alive_at%4$s)
                    SELECT :entity, o.id, :workflow, :module, o.status, :revertTo, '-', '-', gen_random_uuid(), nextval(%2$s),
                        clock_timestamp(), clock_timestamp()%5$s
                    FROM (%3$s) AS o
                    WHERE NOT EXISTS (SELECT 1 FROM %1$s AS c WHERE c.entity = :entity AND c.entity_id = o.id)
                    ON CONFLICT (entity, entity_id) DO NOTHING""".formatted(
                                    table,
                                    tokens,
                                    entity.idsIn(List.of(state.into())),
                                    ofTenants ? ", tenant" : "",
                                    tenantOf(entity)))
                    .on(connection);
            if (ofTenants && !entity.hasTenants()) {
                call.with("tenant", tenant);
            }
            written += call.with("entity", entity.name())
                    .with("workflow", state.workflow())
                    .with("module", state.module())
                    .with("revertTo", state.revertTo())
                    .update();
        }
        return written;
    }

    private String tenantOf(EntityTable entity) {
        return !ofTenants ? "" : entity.hasTenants() ? ", o.tenant" : ", :tenant::text";
    }

    static SqlCall bound(SqlCall call, HeldLease held) {
        return call.with("entity", held.name())
                .with("id", held.id())
                .with("token", held.token().value());
    }
}
