package io.sagaspring.idempotency;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Freeing;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.KeysetPage;
import io.sagaspring.schema.SagaSchema;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists the stored idempotency keys, of all tenants, and frees a key on behalf of a person. A key that is committed
 * together with its work is listed only after that commit, because no one sees it before.
 *
 * @since 0.1.0
 */
public final class StoredKeys {

    private static final HexFormat HEX = HexFormat.of();

    private final KeyListTable table;
    private final OwnTransactions own;

    /**
     * Creates the list of the keys in a schema.
     *
     * @param schema the schema of the table
     * @param own the library's transactions on the schema's data source
     * @param lease the time for which a key stays assigned to a node after that node's last heartbeat
     */
    public StoredKeys(SagaSchema schema, OwnTransactions own, Duration lease) {
        this.table = new KeyListTable(schema, lease);
        this.own = own;
    }

    /**
     * Lists keys.
     *
     * @param query the query that selects the keys
     * @return the keys, latest first
     * @throws IllegalArgumentException if {@code after} is not the {@code next} of a page
     */
    public KeyPage list(KeyQuery query) {
        KeyListTable.Place after = query.after() == null ? null : KeyListTable.Place.read(query.after());
        KeysetPage<KeyView> page = own.single(connection -> table.list(connection, query, after));
        KeyView last = page.last();
        return new KeyPage(
                page.rows(), last == null ? null : KeyListTable.Place.of(last).text());
    }

    /**
     * Finds the rows of a key. There can be two: one of an operation with this account, and one of an operation that
     * {@linkplain IdempotencyKey#changingAccount() changes its account}.
     *
     * @param key the key
     * @param tenant the tenant of the key, or null if it has none
     * @return the rows
     */
    public List<KeyView> find(IdempotencyKey key, @Nullable String tenant) {
        byte[] withAccount = new IdempotencyKey(
                        key.owner(), key.account(), key.requestId(), key.operation(), false, null)
                .id(tenant);
        byte[] without = key.changingAccount().id(tenant);
        return own.single(connection -> table.find(connection, withAccount, without));
    }

    /**
     * Finds a row by its digest.
     *
     * @param id the digest, in hexadecimal digits
     * @return the row, or empty if there is none
     * @throws IllegalArgumentException if the digest contains anything else than pairs of hexadecimal digits
     */
    public Optional<KeyView> find(String id) {
        byte[] digest = HEX.parseHex(id);
        return own.single(connection -> table.find(connection, digest, digest)).stream()
                .findFirst();
    }

    /**
     * Frees the key of a request that has not been answered, so that the next request executes the work. The previous
     * owner is fenced off: it cannot store a reply any more, and its work is interrupted at its next heartbeat.
     *
     * @param id the digest of the key, in hexadecimal digits
     * @param token the token of the claim
     * @return the result
     * @throws IllegalArgumentException if the digest contains anything else than pairs of hexadecimal digits
     */
    public Freeing free(String id, FencingToken token) {
        byte[] digest = HEX.parseHex(id);
        try {
            return own.single(connection -> table.free(connection, digest, token)) ? Freeing.FREED : Freeing.NOT_HELD;
        } catch (KeyTable.LockedException locked) {
            return Freeing.LOCKED;
        }
    }

    /**
     * Counts the keys in progress that each node holds now, among the 10,000 latest keys.
     *
     * @return the loads of the nodes
     */
    public NodeLoads loads() {
        return own.single(table::loads);
    }
}
