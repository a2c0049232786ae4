package io.sagaspring.idempotency;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.RenewalStatements;
import io.sagaspring.jdbc.Fragments;
import io.sagaspring.jdbc.Row;
import io.sagaspring.jdbc.Sql;
import io.sagaspring.schema.SagaSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements on {@code saga_idempotency_key}. Each operation is one statement, and all times are those of the
 * database clock.
 */
final class KeyTable implements RenewableRows {

    private static final HexFormat HEX = HexFormat.of();

    /**
     * The condition for a row that a new claim must not overwrite. A completed row is protected until it expires. A row
     * in progress is protected until its lease ends, and until it expires if the new claim's fingerprint differs.
     */
    private static final String KEPT = """
            CASE WHEN k.lease_until IS NULL THEN k.expires_at > %1$s
            ELSE k.lease_until > %1$s OR (k.expires_at > %1$s AND k.fingerprint IS DISTINCT FROM %2$s) END""";

    private static final String COLUMNS =
            "attempt, token, fingerprint, lease_until, format, head, body, extract(epoch FROM lease_until - clock_timestamp()) * 1000 AS left_millis";

    private final String node;
    private final Duration retention;
    private final Duration lease;
    private final Sql claim;
    private final Sql complete;
    private final Sql delete;
    private final Sql purge;
    private final Sql count;
    private final Sql bytes;
    private final RenewalStatements held;

    KeyTable(SagaSchema schema, String node, Duration retention, Duration lease) {
        String table = schema.table("saga_idempotency_key");
        this.node = node;
        this.retention = retention;
        this.lease = lease;
        // An existing row is read without a lock. The claim writes its row only if it found no row that must be kept.
        this.claim = Fragments.patient(
                "key.claim",
                """
                found AS MATERIALIZED (
                    SELECT k.attempt, k.token, k.fingerprint, k.lease_until, k.format, k.head, k.body
                    FROM %1$s AS k, clock WHERE k.id = :id AND %3$s),
                claimed AS (
                    INSERT INTO %1$s AS k (id, tenant, owner, account, request_id, operation, fingerprint, attempt, token, node,
                        claimed_at, expires_at, lease_until)
                    SELECT :id, :tenant, :owner, :account, :request, :operation, :print, :attempt, nextval(%2$s), :node, clock_timestamp(),
                        clock_timestamp() + :retention * INTERVAL '1 millisecond',
                        clock_timestamp() + :lease * INTERVAL '1 millisecond'
                    WHERE NOT EXISTS (SELECT FROM found)
                    ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, account = excluded.account,
                        fingerprint = excluded.fingerprint, attempt = excluded.attempt, token = excluded.token,
                        node = excluded.node, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at,
                        lease_until = excluded.lease_until, format = NULL, head = NULL, body = NULL
                    WHERE NOT (%4$s)
                    RETURNING k.attempt, k.token, k.fingerprint, k.lease_until, k.format, k.head, k.body)""".formatted(
                                table,
                                Fragments.literal(schema.table("saga_token")),
                                KEPT.formatted("clock_timestamp()", ":print"),
                                KEPT.formatted("clock_timestamp()", "excluded.fingerprint")),
                "SELECT %1$s FROM found UNION ALL SELECT %1$s FROM claimed".formatted(COLUMNS));
        this.complete = Sql.named("key.complete", """
                UPDATE %s SET lease_until = NULL, format = :format, head = :head, body = :body
                WHERE id = :id AND token = :token""".formatted(table));
        this.delete = Sql.named(
                "key.delete",
                "DELETE FROM %s WHERE id = :id AND token = :token AND lease_until IS NOT NULL".formatted(table));
        this.purge = Fragments.purge("key.purge", table, "id", "expires_at", """
                expires_at <= (SELECT clock_timestamp())
                    AND (lease_until IS NULL OR lease_until <= (SELECT clock_timestamp()))""");
        // Leave out owners with at most half of the limit, because most owners never come close to it.
        this.count = Sql.named("key.count", """
                SELECT tenant, owner, count(*) AS keys FROM %s WHERE expires_at > (SELECT clock_timestamp())
                GROUP BY tenant, owner HAVING count(*) * 2 > :most""".formatted(table));
        this.bytes = Sql.named(
                "key.bytes",
                "SELECT pg_total_relation_size(%s::regclass) AS bytes".formatted(Fragments.literal(table)));
        this.held = new RenewalStatements(
                "key",
                new RenewalStatements.Rows(
                        table, List.of("id"), "l.id = decode(h.id, 'hex')", "l.lease_until IS NOT NULL", "true"),
                "lease_until = clock_timestamp() + %s * INTERVAL '1 millisecond'".formatted(lease.toMillis()));
    }

    /** Returns the statement that removes keys, for EXPLAIN. */
    String purge() {
        return purge.text();
    }

    /** The owner of keys, in a tenant. */
    record Owner(@Nullable String tenant, String name) {}

    /** A key of a tenant, with its digest, which is the primary key in the table. The digest is computed once. */
    static final class Slot {

        private final IdempotencyKey key;
        private final @Nullable String tenant;
        private final byte[] id;

        Slot(IdempotencyKey key, @Nullable String tenant) {
            this.key = key;
            this.tenant = tenant;
            this.id = key.id(tenant);
        }

        @Nullable
        String tenant() {
            return tenant;
        }

        Owner owner() {
            return new Owner(tenant, key.owner());
        }

        IdempotencyKey key() {
            return key;
        }

        byte[] id() {
            return id;
        }
    }

    /**
     * A row that was found or claimed.
     *
     * @param slot the key and its digest
     * @param token the fencing token of the row's claim
     * @param mine true if this attempt has claimed the row
     * @param sameRequest true if the row and the requested key have the same fingerprint
     * @param reply the stored reply, or null while the request is in progress
     * @param leaseLeft the remaining time of the owner's lease
     */
    record Found(
            Slot slot,
            FencingToken token,
            boolean mine,
            boolean sameRequest,
            @Nullable StoredReply reply,
            Duration leaseLeft) {}

    /**
     * Claims the key or finds the existing row. Returns empty if another claim was committed since the statement began.
     * In that case, call this method again.
     *
     * @param patience the longest wait for the end of a transaction that has claimed the key
     * @throws LockedException if that transaction does not end within the given time
     */
    Optional<Found> claim(Connection connection, Slot slot, UUID attempt, Duration patience) throws SQLException {
        IdempotencyKey key = slot.key;
        Fingerprint fingerprint = key.fingerprint();
        byte[] print = fingerprint == null ? null : fingerprint.bytes();
        try {
            return claim.on(connection)
                    .with("patience", Math.min(Integer.MAX_VALUE, Math.max(1, patience.toMillis())) + "ms")
                    .with("id", slot.id)
                    .with("print", print)
                    .with("tenant", slot.tenant)
                    .with("owner", key.owner())
                    .with("account", key.account())
                    .with("request", key.requestId())
                    .with("operation", key.operation())
                    .with("attempt", attempt)
                    .with("node", node)
                    .with("retention", retention.toMillis())
                    .with("lease", lease.toMillis())
                    .first(row -> row.isNull("attempt")
                            ? Optional.<Found>empty()
                            : Optional.of(found(row, slot, attempt, print)))
                    .flatMap(found -> found);
        } catch (SQLException failed) {
            if (Fragments.isLockNotAvailable(failed)) {
                throw new LockedException(failed);
            }
            throw failed;
        }
    }

    /** Signals that a transaction that has not ended has locked the key. */
    static final class LockedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        LockedException(SQLException cause) {
            super("The key is locked by a transaction that has not ended.", cause, false, false);
        }
    }

    private static Found found(Row row, Slot slot, UUID attempt, byte @Nullable [] print) throws SQLException {
        boolean completed = row.isNull("lease_until");
        return new Found(
                slot,
                new FencingToken(row.number("token")),
                attempt.equals(row.uuid("attempt")),
                Arrays.equals(print, row.bytes("fingerprint")),
                completed ? new StoredReply(row.text("format"), row.textOrNull("head"), row.bytes("body")) : null,
                row.millis("left_millis"));
    }

    /** Stores the reply, unless the claim was taken over. A second call with the same reply has no effect. */
    boolean complete(Connection connection, Found claim, StoredReply reply) throws SQLException {
        return complete.on(connection)
                .with("format", reply.format())
                .with("head", reply.head())
                .with("body", reply.body())
                .with("id", claim.slot.id)
                .with("token", claim.token.value())
                .changesOne();
    }

    /** Deletes the claim, so that the request can be repeated, unless the claim was taken over or completed. */
    boolean delete(Connection connection, Found claim) throws SQLException {
        return delete.on(connection)
                .with("id", claim.slot.id)
                .with("token", claim.token.value())
                .changesOne();
    }

    /** Removes some expired keys, except those whose request is in progress. Returns the number of removed keys. */
    int purge(Connection connection, int limit) throws SQLException {
        return purge.on(connection).with("limit", limit).update();
    }

    /** Counts the keys of the owners that have more than half of the limit. */
    Map<Owner, Integer> count(Connection connection, int most) throws SQLException {
        return count
                .on(connection)
                .with("most", most)
                .list(row -> Map.entry(new Owner(row.textOrNull("tenant"), row.text("owner")), (int)
                        Math.min(Integer.MAX_VALUE, row.number("keys"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Returns the disk space of the table, with its indexes and its TOAST table. */
    long bytes(Connection connection) throws SQLException {
        return bytes.on(connection).first(row -> row.number("bytes")).orElseThrow();
    }

    HeldLease held(Found claim) {
        return new HeldLease("idempotency key", HEX.formatHex(claim.slot.id), claim.token);
    }

    @Override
    public RenewalStatements renewals() {
        return held;
    }
}
