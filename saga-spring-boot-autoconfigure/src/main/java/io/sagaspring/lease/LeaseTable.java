package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.lease.LeaseStore.Attempt;
import io.sagaspring.lease.LeaseStore.Found;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Holds the statements on {@code saga_lease}: one for each operation, using the database's clock. When the owner
 * releases a name, the row remains, because the next token must exceed the token in it.
 */
final class LeaseTable {

    /**
     * The lock time-out. Writing a row takes milliseconds. If a row stays locked longer, a transaction that has
     * checked or ended the lease still holds the lock.
     */
    static final String LOCK_PATIENCE = "1000ms";

    private static final String COLUMNS =
            "token, attempt, completion, COALESCE(extract(epoch FROM expires_at - clock_timestamp()) * 1000, 0) AS left_millis";

    private static final String OF_TOKEN = "WHERE name = :name AND token = :token";

    private static final String UNTIL = "SET expires_at = clock_timestamp() + %s * INTERVAL '1 millisecond'";

    private final Sql acquire;
    private final Sql look;
    private final Sql guard;
    private final Sql renew;
    private final Sql reattach;
    private final Sql release;
    private final Sql complete;
    private final Sql purge;
    private final RenewalStatements renewals;
    private final Duration retention;

    LeaseTable(SagaSchema schema, Duration retention) {
        this.retention = retention;
        String table = schema.table("saga_lease");
        // The statement reads the existing row without a lock. It draws the new token under the row's lock, so that the
        // token is greater than the row's token.
        this.acquire = Fragments.patient(
                "lease.acquire",
                """
                found AS MATERIALIZED (
                    SELECT l.token, l.attempt, l.completion, l.expires_at FROM %1$s AS l, clock
                    WHERE l.name = :name AND (l.completion IS NOT NULL OR l.expires_at > clock_timestamp())),
                taken AS (
                    INSERT INTO %1$s AS l (name, token, attempt, node, ttl_millis, touched_at, expires_at)
                    SELECT :name, nextval(%2$s), :attempt, :node, :ttl, clock_timestamp(),
                        clock_timestamp() + :ttl * INTERVAL '1 millisecond'
                    WHERE NOT EXISTS (SELECT FROM found)
                    ON CONFLICT (name) DO UPDATE SET token = GREATEST(nextval(%2$s), l.token + 1), attempt = excluded.attempt,
                        node = excluded.node, ttl_millis = excluded.ttl_millis, touched_at = clock_timestamp(),
                        expires_at = clock_timestamp() + excluded.ttl_millis * INTERVAL '1 millisecond'
                    WHERE l.completion IS NULL AND (l.expires_at IS NULL OR l.expires_at <= clock_timestamp())
                    RETURNING l.token, l.attempt, l.completion, l.expires_at)""".formatted(table, Fragments.literal(schema.table("saga_token"))),
                "SELECT %1$s FROM found UNION ALL SELECT %1$s FROM taken".formatted(COLUMNS));
        String byName = "SELECT %s FROM %s WHERE name = :name".formatted(COLUMNS, table);
        this.look = Sql.named("lease.look", byName);
        this.guard = Sql.named("lease.guard", byName + " FOR NO KEY UPDATE");
        String unfinished = OF_TOKEN + " AND completion IS NULL";
        String current = unfinished + " AND expires_at > clock_timestamp()";
        this.renew = Sql.named(
                "lease.renew-one", "UPDATE %s %s %s".formatted(table, UNTIL.formatted("ttl_millis"), current));
        this.reattach = Sql.named(
                "lease.reattach",
                "UPDATE %s %s, ttl_millis = :ttl, touched_at = clock_timestamp() %s"
                        .formatted(table, UNTIL.formatted(":ttl"), unfinished));
        this.release = Sql.named(
                "lease.release",
                "UPDATE %s SET expires_at = NULL, touched_at = clock_timestamp() %s".formatted(table, current));
        this.complete = Sql.named("lease.complete", """
                UPDATE %s SET completion = :completion, expires_at = NULL, touched_at = clock_timestamp()
                %s AND (completion IS NULL OR completion = :completion)""".formatted(table, OF_TOKEN));
        String horizon = "(SELECT clock_timestamp() - :retention * INTERVAL '1 millisecond')";
        this.purge = Fragments.purge(
                "lease.purge",
                table,
                "name",
                "touched_at",
                "touched_at <= %1$s AND (expires_at IS NULL OR expires_at <= %1$s)".formatted(horizon));
        this.renewals = new RenewalStatements(
                "lease",
                new RenewalStatements.Rows(
                        table,
                        List.of("name"),
                        "l.name = h.id",
                        "l.expires_at > clock_timestamp()",
                        "l.expires_at > clock_timestamp()"),
                "expires_at = clock_timestamp() + r.ttl_millis * INTERVAL '1 millisecond'");
    }

    /**
     * Thrown if the row stays locked. The lease may have expired, but a transaction that has checked or ended the lease
     * is still in progress.
     */
    static final class LockedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LockedException(SQLException cause) {
            super("A transaction that is still in progress guards the lease.", cause, false, false);
        }
    }

    /**
     * Acquires the lease if it is free, and returns its state. Returns empty if the statement neither found nor
     * acquired the lease, because another caller wrote the row at the same time.
     */
    Optional<Found> acquire(Connection connection, LeaseName name, Attempt attempt) throws SQLException {
        try {
            return acquire.on(connection)
                    .with("patience", LOCK_PATIENCE)
                    .with("name", name.text())
                    .with("attempt", attempt.id())
                    .with("node", attempt.node())
                    .with("ttl", attempt.ttl().toMillis())
                    .first(LeaseTable::found)
                    .flatMap(found -> found);
        } catch (SQLException failed) {
            if (Fragments.isLockNotAvailable(failed)) {
                throw new LockedException(failed);
            }
            throw failed;
        }
    }

    Optional<Found> find(Connection connection, LeaseName name) throws SQLException {
        return look.on(connection)
                .with("name", name.text())
                .first(LeaseTable::found)
                .flatMap(found -> found);
    }

    /** Reads the row and locks it, so that it does not change until the transaction ends. */
    Optional<Found> findAndLock(Connection connection, LeaseName name) throws SQLException {
        return guard.on(connection)
                .with("name", name.text())
                .first(LeaseTable::found)
                .flatMap(found -> found);
    }

    private static Optional<Found> found(Row row) throws SQLException {
        return row.isNull("token")
                ? Optional.empty()
                : Optional.of(new Found(
                        new FencingToken(row.number("token")),
                        row.uuid("attempt"),
                        completion(row.textOrNull("completion")),
                        row.millis("left_millis")));
    }

    private static @Nullable Completion completion(@Nullable String stored) {
        return stored == null ? null : Completion.valueOf(stored);
    }

    boolean renew(Connection connection, LeaseName name, FencingToken token) throws SQLException {
        return renew.on(connection)
                .with("name", name.text())
                .with("token", token.value())
                .changesOne();
    }

    boolean reattach(Connection connection, LeaseName name, FencingToken token, Duration ttl) throws SQLException {
        return reattach.on(connection)
                .with("ttl", ttl.toMillis())
                .with("name", name.text())
                .with("token", token.value())
                .changesOne();
    }

    boolean release(Connection connection, LeaseName name, FencingToken token) throws SQLException {
        return release.on(connection)
                .with("name", name.text())
                .with("token", token.value())
                .changesOne();
    }

    boolean complete(Connection connection, LeaseName name, FencingToken token, Completion completion)
            throws SQLException {
        return complete.on(connection)
                .with("completion", completion.name())
                .with("name", name.text())
                .with("token", token.value())
                .changesOne();
    }

    int purge(Connection connection, int limit) throws SQLException {
        return purge.on(connection)
                .with("retention", retention.toMillis())
                .with("limit", limit)
                .update();
    }

    /** Returns the statement that removes names, for EXPLAIN. */
    String purge() {
        return purge.text();
    }

    RenewalStatements renewals() {
        return renewals;
    }
}
