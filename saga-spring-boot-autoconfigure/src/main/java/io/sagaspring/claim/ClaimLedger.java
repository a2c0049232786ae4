package io.sagaspring.claim;

import io.sagaspring.entity.EntityRow;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.KeptTable;
import io.sagaspring.fence.OutcomeUnknownException;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.schema.SagaSchema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * The statements about {@code saga_claim}. A row is written in the commit that flips its entity into the claim state and
 * is removed, by its token, in the commit that flips it out again: the two never disagree, and the token is the fence.
 */
public final class ClaimLedger implements KeptTable {

    private static final int TRIES = 3;

    private final String table;
    private final String tokens;
    private final String node;
    private final String delete;
    private final LedgerRows rows;

    /** What is claimed again and again is written down once. */
    private final Map<Flip, String> claims = new ConcurrentHashMap<>();

    /**
     * The ledger in this schema.
     *
     * @param schema holds the table
     * @param node the name of this node, as it shows to people
     */
    public ClaimLedger(SagaSchema schema, String node) {
        this.table = schema.table("saga_claim");
        this.tokens = schema.table("saga_token");
        this.node = node;
        this.delete =
                "DELETE FROM %s WHERE entity = ? AND entity_id = ? AND token = ? RETURNING pg_catalog.pg_current_xact_id()::text"
                        .formatted(table);
        this.rows = new LedgerRows(table, tokens);
    }

    /** What others than the owner see. */
    LedgerRows rows() {
        return rows;
    }

    /**
     * Flips an entity into a claim state and writes the ledger's row, in one commit.
     *
     * @param entity the entity's table
     * @param id the entity
     * @param state what to claim
     * @param requester on whose behalf
     * @param expected the version it must have, where the caller knows one
     * @return whether the caller has it
     */
    ClaimAttempt claim(EntityTable entity, Object id, ClaimState state, String requester, OptionalLong expected) {
        ClaimAttempt attempt = claim(new Order(entity, id, state, requester, expected, UUID.randomUUID()));
        entity.forgetCached(id);
        return attempt;
    }

    private ClaimAttempt claim(Order order) {
        EntityTable entity = order.entity();
        OwnTransactions own = entity.own();
        boolean doubt = false;
        for (int tries = 1; ; tries++) {
            try {
                // After a lost acknowledgement the claim may be there already: the attempt's name tells.
                Optional<Claim> granted = doubt ? own.single(connection -> find(connection, order)) : Optional.empty();
                if (granted.isEmpty()) {
                    granted = entity.isFlippedByOneStatement()
                            ? own.single(connection -> claimInOneStatement(connection, order))
                            : own.together(connection -> claimUnderLock(connection, order));
                }
                if (granted.isEmpty() && doubt) {
                    granted = own.single(connection -> find(connection, order));
                }
                if (granted.isPresent()) {
                    return new ClaimAttempt.Granted(granted.get());
                }
                return entity.read(order.id())
                        .<ClaimAttempt>map(ClaimAttempt.Refused::new)
                        .orElseGet(ClaimAttempt.NoSuchEntity::new);
            } catch (DataAccessException failed) {
                boolean sent = !(failed instanceof CannotGetJdbcConnectionException);
                if (!doubt && (!sent || !OwnTransactions.leavesOutcomeOpen(failed))) {
                    throw failed;
                }
                if (tries == TRIES) {
                    throw new OutcomeUnknownException("Claiming %s %s".formatted(entity, order.id()), failed);
                }
                doubt = true;
            }
        }
    }

    private record Order(
            EntityTable entity, Object id, ClaimState state, String requester, OptionalLong expected, UUID attempt) {

        Flip flip() {
            return new Flip(entity, state.revertTo(), state.into(), expected.isPresent());
        }

        Claim granted(long token, long version, String key) {
            return new Claim(state, entity.name(), id, key, new FencingToken(token), version, requester);
        }
    }

    /** What a statement that claims depends on. */
    private record Flip(EntityTable entity, String from, String into, boolean versioned) {}

    private String flipAndInsert(Flip flip) {
        return "WITH flipped AS (%s)\n%s"
                .formatted(
                        flip.entity().flip(flip.from(), flip.into(), flip.versioned()),
                        insert("flipped.version", "flipped.id", "flipped"));
    }

    private Optional<Claim> claimInOneStatement(Connection connection, Order order) throws SQLException {
        String sql = claims.computeIfAbsent(order.flip(), this::flipAndInsert);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int next = 1;
            order.entity().bindId(statement, next++, order.id());
            if (order.expected().isPresent()) {
                statement.setLong(next++, order.expected().getAsLong());
            }
            return insert(statement, next, order);
        }
    }

    private Optional<Claim> claimUnderLock(Connection connection, Order order) throws SQLException {
        ClaimState state = order.state();
        Optional<EntityRow> locked = order.entity().lock(connection, order.id());
        if (locked.isEmpty()
                || !locked.get().status().equals(state.revertTo())
                || (order.expected().isPresent()
                        && order.expected().getAsLong() != locked.get().version())) {
            return Optional.empty();
        }
        Optional<Long> version = order.entity().flipLocked(connection, order.id(), state.revertTo(), state.into());
        if (version.isEmpty()) {
            return Optional.empty();
        }
        try (PreparedStatement statement = connection.prepareStatement(
                insert(version.get().toString(), order.entity().keyQuery(), null))) {
            return insert(statement, 1, order);
        }
    }

    /** A row that is already there belongs to nobody: its entity was not in the claim state. Its owner is fenced off. */
    private String insert(String version, String key, @Nullable String from) {
        return """
                INSERT INTO %s AS c (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                    attempt, token, claimed_at, alive_at)
                SELECT ?, %s, ?, ?, ?, ?, ?, ?, ?, nextval('%s'), clock_timestamp(), clock_timestamp() %s
                ON CONFLICT (entity, entity_id) DO UPDATE SET workflow = excluded.workflow, module = excluded.module,
                    claim_state = excluded.claim_state, revert_to = excluded.revert_to, requester = excluded.requester,
                    node = excluded.node, attempt = excluded.attempt, token = excluded.token,
                    claimed_at = excluded.claimed_at, alive_at = excluded.alive_at
                RETURNING c.token, %s, c.entity_id""".formatted(
                        table,
                        key,
                        tokens.replace("'", "''"),
                        from == null ? "" : "FROM " + from,
                        from == null ? version : "(SELECT %s FROM %s)".formatted(version, from));
    }

    private Optional<Claim> insert(PreparedStatement statement, int first, Order order) throws SQLException {
        int next = first;
        statement.setString(next++, order.entity().name());
        if (!order.entity().isFlippedByOneStatement()) {
            order.entity().bindId(statement, next++, order.id());
        }
        statement.setString(next++, order.state().workflow());
        statement.setString(next++, order.state().module());
        statement.setString(next++, order.state().into());
        statement.setString(next++, order.state().revertTo());
        statement.setString(next++, order.requester());
        statement.setString(next++, node);
        statement.setObject(next, order.attempt());
        try (ResultSet written = statement.executeQuery()) {
            return written.next()
                    ? Optional.of(order.granted(written.getLong(1), written.getLong(2), written.getString(3)))
                    : Optional.empty();
        }
    }

    private Optional<Claim> find(Connection connection, Order order) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT token, entity_id FROM %s WHERE entity = ? AND entity_id = %s AND attempt = ?"
                        .formatted(table, order.entity().keyQuery()))) {
            statement.setString(1, order.entity().name());
            order.entity().bindId(statement, 2, order.id());
            statement.setObject(3, order.attempt());
            try (ResultSet found = statement.executeQuery()) {
                if (!found.next()) {
                    return Optional.empty();
                }
                long token = found.getLong(1);
                String key = found.getString(2);
                long version = order.entity()
                        .read(connection, order.id())
                        .map(EntityRow::version)
                        .orElse(0L);
                return Optional.of(order.granted(token, version, key));
            }
        }
    }

    /**
     * The fence: removes the row by its token, as the last statement before a commit.
     *
     * @param connection in the transaction that flips the entity out of the claim state
     * @param claim the claim
     * @return the number of the transaction, to ask for it should the commit's acknowledgement be lost, or nothing if the
     *     claim was taken away
     * @throws SQLException if the statement fails
     */
    public Optional<String> remove(Connection connection, Claim claim) throws SQLException {
        return remove(connection, claim.held());
    }

    Optional<String> remove(Connection connection, Held held) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(delete)) {
            LedgerRows.bind(statement, held);
            try (ResultSet removed = statement.executeQuery()) {
                return removed.next() ? Optional.of(removed.getString(1)) : Optional.empty();
            }
        }
    }

    @Override
    public Set<FencingToken> renew(Connection connection, Collection<Held> held) throws SQLException {
        // A row that is locked is about to be removed: waiting for it would hold up the renewal of all others.
        return tokens(connection, held, """
                UPDATE %1$s AS c SET alive_at = clock_timestamp()
                FROM (SELECT l.entity, l.entity_id, l.token FROM %1$s AS l
                    JOIN unnest(?::text[], ?::text[], ?::bigint[]) AS h (entity, entity_id, token) USING (entity, entity_id, token)
                    FOR UPDATE OF l SKIP LOCKED) AS f
                WHERE c.entity = f.entity AND c.entity_id = f.entity_id AND c.token = f.token
                RETURNING c.token""".formatted(table));
    }

    @Override
    public Set<FencingToken> stillThere(Connection connection, Collection<Held> held) throws SQLException {
        return tokens(
                connection,
                held,
                "SELECT l.token FROM %s AS l JOIN unnest(?::text[], ?::text[], ?::bigint[]) AS h (entity, entity_id, token) USING (entity, entity_id, token)"
                        .formatted(table));
    }

    private static Set<FencingToken> tokens(Connection connection, Collection<Held> held, String sql)
            throws SQLException {
        Array names =
                connection.createArrayOf("text", held.stream().map(Held::name).toArray());
        Array ids = connection.createArrayOf("text", held.stream().map(Held::id).toArray());
        Array tokens = connection.createArrayOf(
                "bigint", held.stream().map(each -> each.token().value()).toArray());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, names);
            statement.setArray(2, ids);
            statement.setArray(3, tokens);
            Set<FencingToken> found = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new FencingToken(rows.getLong(1)));
                }
            }
            return found;
        }
    }
}
