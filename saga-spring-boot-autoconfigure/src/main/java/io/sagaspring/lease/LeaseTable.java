package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Held;
import io.sagaspring.lease.LeaseStore.Attempt;
import io.sagaspring.lease.LeaseStore.Found;
import io.sagaspring.schema.SagaSchema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code saga_lease}: one statement for each operation, by the database's clock. The row of a name stays when its holder
 * goes, and with it the token that the next one exceeds.
 */
final class LeaseTable {

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Rows are written within milliseconds; one that stays locked is guarded by a transaction that does its work with it. */
    private static final String LOCK_PATIENCE = "1000ms";

    private static final String COLUMNS =
            "token, attempt, completion, COALESCE(extract(epoch FROM expires_at - clock_timestamp()) * 1000, 0) AS left_millis";

    private final Duration retention;
    private final String acquire;
    private final String look;
    private final String renew;
    private final String reattach;
    private final String release;
    private final String complete;
    private final String renewAll;
    private final String stillThere;
    private final String purge;

    LeaseTable(SagaSchema schema, Duration retention) {
        this.retention = retention;
        String table = schema.table("saga_lease");
        String tokens = schema.table("saga_token").replace("'", "''");
        // What is found is read without a lock. A token that is taken under the row's lock is greater than the row's.
        this.acquire = """
                WITH clock AS MATERIALIZED (
                    SELECT current_setting('lock_timeout') AS before, set_config('lock_timeout', '%3$s', true) AS during),
                found AS MATERIALIZED (
                    SELECT l.token, l.attempt, l.completion, l.expires_at FROM %1$s AS l, clock
                    WHERE l.name = ? AND (l.completion IS NOT NULL OR l.expires_at > clock_timestamp())),
                taken AS (
                    INSERT INTO %1$s AS l (name, token, attempt, node, ttl_millis, touched_at, expires_at)
                    SELECT ?, nextval('%2$s'), ?, ?, ?, clock_timestamp(),
                        clock_timestamp() + ? * INTERVAL '1 millisecond'
                    WHERE NOT EXISTS (SELECT FROM found)
                    ON CONFLICT (name) DO UPDATE SET token = GREATEST(nextval('%2$s'), l.token + 1), attempt = excluded.attempt,
                        node = excluded.node, ttl_millis = excluded.ttl_millis, touched_at = clock_timestamp(),
                        expires_at = clock_timestamp() + excluded.ttl_millis * INTERVAL '1 millisecond'
                    WHERE l.completion IS NULL AND (l.expires_at IS NULL OR l.expires_at <= clock_timestamp())
                    RETURNING l.token, l.attempt, l.completion, l.expires_at)
                SELECT either.*, set_config('lock_timeout', clock.before, true) FROM clock LEFT JOIN
                    (SELECT %4$s FROM found UNION ALL SELECT %4$s FROM taken) AS either ON true""".formatted(table, tokens, LOCK_PATIENCE, COLUMNS);
        this.look = "SELECT %s FROM %s WHERE name = ?".formatted(COLUMNS, table);
        String mine = "WHERE name = ? AND token = ? AND completion IS NULL";
        String prolonged = "SET expires_at = clock_timestamp() + %s * INTERVAL '1 millisecond'";
        this.renew = "UPDATE %s %s %s AND expires_at > clock_timestamp()"
                .formatted(table, prolonged.formatted("ttl_millis"), mine);
        this.reattach = "UPDATE %s %s, ttl_millis = ?, touched_at = clock_timestamp() %s"
                .formatted(table, prolonged.formatted("?"), mine);
        this.release =
                "UPDATE %s SET expires_at = NULL, touched_at = clock_timestamp() %s AND expires_at > clock_timestamp()"
                        .formatted(table, mine);
        this.complete =
                "UPDATE %s SET completion = ?, expires_at = NULL, touched_at = clock_timestamp() WHERE name = ? AND token = ? AND (completion IS NULL OR completion = ?)"
                        .formatted(table);
        this.renewAll = """
                UPDATE %1$s AS l SET expires_at = clock_timestamp() + l.ttl_millis * INTERVAL '1 millisecond'
                FROM (SELECT f.name FROM %1$s AS f JOIN unnest(?::text[], ?::bigint[]) AS h (name, token) ON f.name = h.name AND f.token = h.token
                    WHERE f.expires_at > clock_timestamp() FOR UPDATE OF f SKIP LOCKED) AS mine
                WHERE l.name = mine.name RETURNING l.name, l.token""".formatted(table);
        this.stillThere = """
                SELECT l.name, l.token FROM %s AS l JOIN unnest(?::text[], ?::bigint[]) AS h (name, token) ON l.name = h.name AND l.token = h.token
                WHERE l.expires_at > clock_timestamp()""".formatted(table);
        this.purge = """
                WITH horizon AS MATERIALIZED (SELECT clock_timestamp() - ? * INTERVAL '1 millisecond' AS at),
                old AS MATERIALIZED (
                    SELECT name FROM %1$s
                    WHERE touched_at <= (SELECT at FROM horizon)
                    AND (expires_at IS NULL OR expires_at <= (SELECT at FROM horizon))
                    ORDER BY touched_at LIMIT ? FOR UPDATE SKIP LOCKED)
                DELETE FROM %1$s AS l USING old WHERE l.name = old.name""".formatted(table);
    }

    /** The row has been locked for long: its time may be over, but a transaction that has guarded it has not ended. */
    static final class LockedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LockedException(SQLException cause) {
            super("The lease is guarded by a transaction that has not ended.", cause, false, false);
        }
    }

    /** Empty if the row was written in the meantime, so that it was neither found nor taken. */
    Optional<Found> acquire(Connection connection, LeaseName name, Attempt attempt) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(acquire)) {
            statement.setString(1, name.value());
            statement.setString(2, name.value());
            statement.setObject(3, attempt.id());
            statement.setString(4, attempt.node());
            statement.setLong(5, attempt.ttl().toMillis());
            statement.setLong(6, attempt.ttl().toMillis());
            return found(statement);
        } catch (SQLException failed) {
            if (LOCK_NOT_AVAILABLE.equals(failed.getSQLState())) {
                throw new LockedException(failed);
            }
            throw failed;
        }
    }

    Optional<Found> look(Connection connection, LeaseName name) throws SQLException {
        return look(connection, look, name);
    }

    /** Nobody changes it until the transaction ends. */
    Optional<Found> lookAndLock(Connection connection, LeaseName name) throws SQLException {
        return look(connection, look + " FOR NO KEY UPDATE", name);
    }

    private static Optional<Found> look(Connection connection, String sql, LeaseName name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name.value());
            return found(statement);
        }
    }

    private static Optional<Found> found(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            if (!row.next() || row.getObject(1) == null) {
                return Optional.empty();
            }
            return Optional.of(new Found(
                    new FencingToken(row.getLong(1)),
                    Objects.requireNonNull(row.getObject(2, UUID.class)),
                    completion(row.getString(3)),
                    Duration.ofMillis((long) row.getDouble(4))));
        }
    }

    private static @Nullable Completion completion(@Nullable String written) {
        return written == null ? null : Completion.valueOf(written);
    }

    boolean renew(Connection connection, LeaseName name, FencingToken token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(renew)) {
            statement.setString(1, name.value());
            statement.setLong(2, token.value());
            return statement.executeUpdate() == 1;
        }
    }

    boolean reattach(Connection connection, LeaseName name, FencingToken token, Duration ttl) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(reattach)) {
            statement.setLong(1, ttl.toMillis());
            statement.setLong(2, ttl.toMillis());
            statement.setString(3, name.value());
            statement.setLong(4, token.value());
            return statement.executeUpdate() == 1;
        }
    }

    boolean release(Connection connection, LeaseName name, FencingToken token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(release)) {
            statement.setString(1, name.value());
            statement.setLong(2, token.value());
            return statement.executeUpdate() == 1;
        }
    }

    boolean complete(Connection connection, LeaseName name, FencingToken token, Completion completion)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(complete)) {
            statement.setString(1, completion.name());
            statement.setString(2, name.value());
            statement.setLong(3, token.value());
            statement.setString(4, completion.name());
            return statement.executeUpdate() == 1;
        }
    }

    int purge(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(purge)) {
            statement.setLong(1, retention.toMillis());
            statement.setInt(2, limit);
            return statement.executeUpdate();
        }
    }

    /** The statement, for who explains it. */
    String purge() {
        return purge;
    }

    Set<Held> renewAll(Connection connection, Collection<Held> held) throws SQLException {
        return those(connection, held, renewAll);
    }

    Set<Held> stillThere(Connection connection, Collection<Held> held) throws SQLException {
        return those(connection, held, stillThere);
    }

    /** By name and token: where the sequence was behind, two names may have one. */
    private static Set<Held> those(Connection connection, Collection<Held> held, String sql) throws SQLException {
        Array names =
                connection.createArrayOf("text", held.stream().map(Held::id).toArray());
        Array tokens = connection.createArrayOf(
                "bigint", held.stream().map(each -> each.token().value()).toArray());
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, names);
            statement.setArray(2, tokens);
            Map<String, FencingToken> found = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.put(rows.getString(1), new FencingToken(rows.getLong(2)));
                }
            }
            return held.stream()
                    .filter(each -> each.token().equals(found.get(each.id())))
                    .collect(Collectors.toSet());
        }
    }
}
