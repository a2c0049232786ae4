package io.sagaspring.claim;

import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The ledger as janitors and operators see it, whose claims these are not. */
final class LedgerRows {

    private final String table;
    private final String tokens;

    LedgerRows(String table, String tokens) {
        this.table = table;
        this.tokens = tokens;
    }

    /**
     * Locks a row whose owner has been silent for too long, unless somebody is about to change it.
     *
     * @param connection in a transaction
     * @param held the row, as a hint list had it
     * @param window how long an owner may be silent
     * @return whether the row is still that one, and silent
     * @throws SQLException if the statement fails
     */
    boolean lockSilent(Connection connection, Held held, Duration window) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                SELECT 1 FROM %s WHERE entity = ? AND entity_id = ? AND token = ?
                AND alive_at < clock_timestamp() - ? * INTERVAL '1 millisecond' FOR UPDATE SKIP LOCKED""".formatted(table))) {
            bind(statement, held);
            statement.setLong(4, window.toMillis());
            try (ResultSet locked = statement.executeQuery()) {
                return locked.next();
            }
        }
    }

    /**
     * Locks a row however lately its owner was heard of, unless somebody is about to change it.
     *
     * @param connection in a transaction
     * @param held the row
     * @return whether the row is still that one
     * @throws SQLException if the statement fails
     */
    boolean lock(Connection connection, Held held) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT 1 FROM %s WHERE entity = ? AND entity_id = ? AND token = ? FOR UPDATE SKIP LOCKED"
                        .formatted(table))) {
            bind(statement, held);
            try (ResultSet locked = statement.executeQuery()) {
                return locked.next();
            }
        }
    }

    /**
     * What a module's janitor may free, longest silent first. Nothing is locked: it is a list of hints.
     *
     * @param connection the connection
     * @param declared the claim states of the module, by the name of the entity's table
     * @param window how long an owner may be silent
     * @param except what the caller has seen and could not free
     * @param limit how many
     * @return the rows
     * @throws SQLException if the statement fails
     */
    List<ClaimedRow> silent(
            Connection connection,
            Map<String, Set<String>> declared,
            Duration window,
            Set<FencingToken> except,
            int limit)
            throws SQLException {
        List<Map.Entry<String, String>> pairs = declared.entrySet().stream()
                .flatMap(each -> each.getValue().stream().map(state -> Map.entry(each.getKey(), state)))
                .toList();
        // As a query the clock is read once, and the index finds what is older. Read for each row, it finds nothing.
        try (PreparedStatement statement = connection.prepareStatement(select("""
                WHERE alive_at < (SELECT clock_timestamp()) - ? * INTERVAL '1 millisecond'
                AND (entity, claim_state) IN (SELECT * FROM unnest(?::text[], ?::text[])) AND token <> ALL (?::bigint[])
                ORDER BY alive_at LIMIT ?"""))) {
            statement.setLong(1, window.toMillis());
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "text", pairs.stream().map(Map.Entry::getKey).toArray()));
            statement.setArray(
                    3,
                    connection.createArrayOf(
                            "text", pairs.stream().map(Map.Entry::getValue).toArray()));
            statement.setArray(
                    4,
                    connection.createArrayOf(
                            "bigint", except.stream().map(FencingToken::value).toArray()));
            statement.setInt(5, limit);
            return rows(statement);
        }
    }

    /**
     * What is claimed at this moment, longest first.
     *
     * @param connection the connection
     * @param limit how many
     * @return the rows
     * @throws SQLException if the statement fails
     */
    List<ClaimedRow> all(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select("ORDER BY claimed_at LIMIT ?"))) {
            statement.setInt(1, limit);
            return rows(statement);
        }
    }

    Optional<ClaimedRow> one(Connection connection, String entity, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select("WHERE entity = ? AND entity_id = ?"))) {
            statement.setString(1, entity);
            statement.setString(2, id);
            return rows(statement).stream().findFirst();
        }
    }

    Optional<ClaimedRow> of(Connection connection, EntityTable entity, Object id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(select("WHERE entity = ? AND entity_id = " + entity.keyQuery()))) {
            statement.setString(1, entity.name());
            entity.bindId(statement, 2, id);
            return rows(statement).stream().findFirst();
        }
    }

    private String select(String rest) {
        return """
                SELECT entity, entity_id, workflow, module, claim_state, revert_to, requester, node, token, claimed_at,
                    extract(epoch FROM clock_timestamp() - alive_at) * 1000,
                    extract(epoch FROM clock_timestamp() - claimed_at) * 1000
                FROM %s %s""".formatted(table, rest);
    }

    private static List<ClaimedRow> rows(PreparedStatement statement) throws SQLException {
        List<ClaimedRow> rows = new ArrayList<>();
        try (ResultSet found = statement.executeQuery()) {
            while (found.next()) {
                rows.add(new ClaimedRow(
                        found.getString(1),
                        found.getString(2),
                        found.getString(3),
                        found.getString(4),
                        found.getString(5),
                        found.getString(6),
                        found.getString(7),
                        found.getString(8),
                        new FencingToken(found.getLong(9)),
                        found.getObject(10, OffsetDateTime.class).toInstant(),
                        Duration.ofMillis((long) found.getDouble(11)),
                        Duration.ofMillis((long) found.getDouble(12))));
            }
        }
        return rows;
    }

    /**
     * Writes a row without an owner, stamped now, for every entity that is in a claim state and has none.
     *
     * @param connection the connection
     * @param entity the entity's table
     * @param states the claim states of one module on it
     * @return how many rows were written
     * @throws SQLException if the statement fails
     */
    int adoptOrphans(Connection connection, EntityTable entity, List<ClaimState> states) throws SQLException {
        int written = 0;
        for (ClaimState state : states) {
            try (PreparedStatement statement = connection.prepareStatement(
                    """
                    INSERT INTO %1$s (entity, entity_id, workflow, module, claim_state, revert_to, requester, node,
                        attempt, token, claimed_at, alive_at)
                    SELECT ?, o.id, ?, ?, o.status, ?, '-', '-', gen_random_uuid(), nextval('%2$s'),
                        clock_timestamp(), clock_timestamp()
                    FROM (%3$s) AS o
                    WHERE NOT EXISTS (SELECT 1 FROM %1$s AS c WHERE c.entity = ? AND c.entity_id = o.id)
                    ON CONFLICT (entity, entity_id) DO NOTHING""".formatted(table, tokens.replace("'", "''"), entity.idsIn(List.of(state.into()))))) {
                statement.setString(1, entity.name());
                statement.setString(2, state.workflow());
                statement.setString(3, state.module());
                statement.setString(4, state.revertTo());
                statement.setString(5, entity.name());
                written += statement.executeUpdate();
            }
        }
        return written;
    }

    static void bind(PreparedStatement statement, Held held) throws SQLException {
        statement.setString(1, held.name());
        statement.setString(2, held.id());
        statement.setLong(3, held.token().value());
    }
}
