package io.sagaspring.idempotency;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import io.sagaspring.fence.KeptTable;
import io.sagaspring.schema.SagaSchema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The statements about {@code saga_idempotency_key}. Each decision is one statement, by the database's clock. */
final class KeyTable implements KeptTable {

    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final HexFormat HEX = HexFormat.of();

    /** Completed and not too old, or worked on, or left behind by a crash and about something else. */
    private static final String KEPT = """
            CASE WHEN k.lease_until IS NULL THEN k.expires_at > %1$s
            ELSE k.lease_until > %1$s OR (k.expires_at > %1$s AND k.fingerprint IS DISTINCT FROM %2$s) END""";

    private static final String COLUMNS =
            "attempt, token, fingerprint, lease_until, format, head, body, extract(epoch FROM lease_until - clock_timestamp()) * 1000";

    private final String node;
    private final Duration retention;
    private final Duration lease;
    private final String claim;
    private final String complete;
    private final String delete;
    private final String purge;
    private final String count;
    private final String bytes;
    private final String renew;
    private final String stillThere;

    KeyTable(SagaSchema schema, String node, Duration retention, Duration lease) {
        String table = schema.table("saga_idempotency_key");
        this.node = node;
        this.retention = retention;
        this.lease = lease;
        String tokens = schema.table("saga_token").replace("'", "''");
        // What is found is read without a lock; a row is written only where nothing that is kept was found.
        String found = """
                found AS MATERIALIZED (
                    SELECT k.attempt, k.token, k.fingerprint, k.lease_until, k.format, k.head, k.body
                    FROM %s AS k, clock WHERE k.id = ? AND %s)""".formatted(table, KEPT.formatted("clock_timestamp()", "?"));
        String claimed = """
                claimed AS (
                    INSERT INTO %1$s AS k (id, owner, account, request_id, operation, fingerprint, attempt, token, node,
                        claimed_at, expires_at, lease_until)
                    SELECT ?, ?, ?, ?, ?, ?, ?, nextval('%2$s'), ?, clock_timestamp(),
                        clock_timestamp() + ? * INTERVAL '1 millisecond', clock_timestamp() + ? * INTERVAL '1 millisecond'
                    WHERE NOT EXISTS (SELECT FROM found)
                    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, account = excluded.account,
                        fingerprint = excluded.fingerprint, attempt = excluded.attempt, token = excluded.token,
                        node = excluded.node, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at,
                        lease_until = excluded.lease_until, format = NULL, head = NULL, body = NULL
                    WHERE NOT (%3$s)
                    RETURNING k.attempt, k.token, k.fingerprint, k.lease_until, k.format, k.head, k.body)""".formatted(table, tokens, KEPT.formatted("clock_timestamp()", "excluded.fingerprint"));
        // Only this statement is to wait for no longer: the setting is put back in it, after the row was written.
        this.claim = """
                WITH clock AS MATERIALIZED (
                    SELECT current_setting('lock_timeout') AS before, set_config('lock_timeout', ?, true) AS during),
                %s,
                %s
                SELECT either.*, set_config('lock_timeout', clock.before, true) FROM clock LEFT JOIN
                    (SELECT %s FROM found UNION ALL SELECT %s FROM claimed) AS either ON true""".formatted(found, claimed, COLUMNS, COLUMNS);
        this.complete = "UPDATE %s SET lease_until = NULL, format = ?, head = ?, body = ? WHERE id = ? AND token = ?"
                .formatted(table);
        this.delete = "DELETE FROM %s WHERE id = ? AND token = ? AND lease_until IS NOT NULL".formatted(table);
        this.purge = """
                WITH old AS MATERIALIZED (
                    SELECT id FROM %1$s
                    WHERE expires_at <= (SELECT clock_timestamp())
                    AND (lease_until IS NULL OR lease_until <= (SELECT clock_timestamp()))
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
                DELETE FROM %1$s AS k USING old WHERE k.id = old.id""".formatted(table);
        // Of most owners nobody needs to know: they are far from the limit.
        this.count = """
                SELECT owner, count(*) FROM %s WHERE expires_at > (SELECT clock_timestamp())
                GROUP BY owner HAVING count(*) * 2 > ?""".formatted(table);
        this.bytes = "SELECT pg_total_relation_size('%s'::regclass)".formatted(table.replace("'", "''"));
        this.renew = """
                UPDATE %1$s AS k SET lease_until = clock_timestamp() + %2$s * INTERVAL '1 millisecond'
                FROM (SELECT l.id, l.token FROM %1$s AS l
                    JOIN unnest(?::text[], ?::bigint[]) AS h (id, token) ON l.id = decode(h.id, 'hex') AND l.token = h.token
                    WHERE l.lease_until IS NOT NULL FOR UPDATE OF l SKIP LOCKED) AS f
                WHERE k.id = f.id AND k.token = f.token RETURNING k.token""".formatted(table, lease.toMillis());
        this.stillThere = """
                SELECT l.token FROM %s AS l
                JOIN unnest(?::text[], ?::bigint[]) AS h (id, token) ON l.id = decode(h.id, 'hex') AND l.token = h.token""".formatted(table);
    }

    /** Removes keys that are too old, up to a number. */
    String purge() {
        return purge;
    }

    /** Where a key is, or would be: its digest is computed once. */
    static final class Slot {

        private final IdempotencyKey key;
        private final byte[] id;

        Slot(IdempotencyKey key) {
            this.key = key;
            this.id = key.id();
        }

        IdempotencyKey key() {
            return key;
        }

        byte[] id() {
            return id;
        }
    }

    /**
     * A row that is kept.
     *
     * @param slot the row
     * @param token the proof of holding it
     * @param mine whether it is the asking attempt's
     * @param sameRequest whether the fingerprint is that of the key that was asked for
     * @param reply what it was completed with, or null while it is worked on
     * @param leaseLeft how long its owner may be silent
     */
    record Found(
            Slot slot,
            FencingToken token,
            boolean mine,
            boolean sameRequest,
            @Nullable Reply reply,
            Duration leaseLeft) {}

    /**
     * Claims the key or finds who has. Nothing if another claim was committed since the statement began: ask again.
     *
     * @param patience for how long it waits for a transaction that has the key, until that ends
     * @throws LockedException if that takes longer
     */
    Optional<Found> claim(Connection connection, Slot slot, UUID attempt, Duration patience) throws SQLException {
        IdempotencyKey key = slot.key;
        Fingerprint fingerprint = key.fingerprint();
        byte[] print = fingerprint == null ? null : fingerprint.bytes();
        try (PreparedStatement statement = connection.prepareStatement(claim)) {
            int next = 1;
            statement.setString(next++, Math.min(Integer.MAX_VALUE, Math.max(1, patience.toMillis())) + "ms");
            statement.setBytes(next++, slot.id);
            setBytes(statement, next++, print);
            statement.setBytes(next++, slot.id);
            statement.setString(next++, key.owner());
            statement.setString(next++, key.account());
            statement.setString(next++, key.requestId());
            statement.setString(next++, key.operation());
            setBytes(statement, next++, print);
            statement.setObject(next++, attempt);
            statement.setString(next++, node);
            statement.setLong(next++, retention.toMillis());
            statement.setLong(next, lease.toMillis());
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getObject(1) != null
                        ? Optional.of(found(row, slot, attempt, print))
                        : Optional.empty();
            }
        } catch (SQLException failed) {
            if (LOCK_NOT_AVAILABLE.equals(failed.getSQLState())) {
                throw new LockedException(failed);
            }
            throw failed;
        }
    }

    /** A transaction that has not ended has the key. */
    static final class LockedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LockedException(SQLException cause) {
            super("The key is in a transaction that has not ended.", cause, false, false);
        }
    }

    private static Found found(ResultSet row, Slot slot, UUID attempt, byte @Nullable [] print) throws SQLException {
        boolean completed = row.getObject(4) == null;
        return new Found(
                slot,
                new FencingToken(row.getLong(2)),
                attempt.equals(row.getObject(1, UUID.class)),
                Arrays.equals(print, row.getBytes(3)),
                completed ? new Reply(row.getString(5), row.getString(6), row.getBytes(7)) : null,
                Duration.ofMillis((long) row.getDouble(8)));
    }

    /** Stores the reply, unless the claim was taken over. To do it twice does no harm. */
    boolean complete(Connection connection, Found claim, Reply reply) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(complete)) {
            statement.setString(1, reply.format());
            statement.setString(2, reply.head());
            setBytes(statement, 3, reply.body());
            statement.setBytes(4, claim.slot.id);
            statement.setLong(5, claim.token.value());
            return statement.executeUpdate() == 1;
        }
    }

    /** Deletes the claim, so that the request may be made again, unless the claim was taken over or completed. */
    boolean delete(Connection connection, Found claim) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(delete)) {
            statement.setBytes(1, claim.slot.id);
            statement.setLong(2, claim.token.value());
            return statement.executeUpdate() == 1;
        }
    }

    /** Removes some of what is too old; what is worked on is never too old. Returns how many. */
    int purge(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(purge)) {
            statement.setInt(1, limit);
            return statement.executeUpdate();
        }
    }

    /** The owners that have more than half of so many, and how many they have. */
    Map<String, Integer> count(Connection connection, int most) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(count)) {
            statement.setInt(1, most);
            Map<String, Integer> counts = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    counts.put(rows.getString(1), (int) Math.min(Integer.MAX_VALUE, rows.getLong(2)));
                }
            }
            return counts;
        }
    }

    /** Returns the disk space of the table, with its indexes and its TOAST table. */
    long bytes(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(bytes);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    Held held(Found claim) {
        return new Held("idempotency key", HEX.formatHex(claim.slot.id), claim.token);
    }

    @Override
    public Set<FencingToken> renew(Connection connection, Collection<Held> held) throws SQLException {
        return tokens(connection, held, renew);
    }

    @Override
    public Set<FencingToken> stillThere(Connection connection, Collection<Held> held) throws SQLException {
        return tokens(connection, held, stillThere);
    }

    private static Set<FencingToken> tokens(Connection connection, Collection<Held> held, String sql)
            throws SQLException {
        Array ids = connection.createArrayOf("text", held.stream().map(Held::id).toArray());
        Array tokens = connection.createArrayOf(
                "bigint", held.stream().map(each -> each.token().value()).toArray());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, ids);
            statement.setArray(2, tokens);
            Set<FencingToken> found = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(new FencingToken(rows.getLong(1)));
                }
            }
            return found;
        }
    }

    private static void setBytes(PreparedStatement statement, int index, byte @Nullable [] bytes) throws SQLException {
        if (bytes == null) {
            statement.setNull(index, Types.BINARY);
        } else {
            statement.setBytes(index, bytes);
        }
    }
}
