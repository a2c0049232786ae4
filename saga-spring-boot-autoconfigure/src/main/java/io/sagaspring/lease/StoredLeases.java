package io.sagaspring.lease;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.Freeing;
import io.sagaspring.fence.NodeLoads;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.jdbc.KeysetPage;
import io.sagaspring.schema.SagaSchema;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists the leases in the database, of all tenants, and frees a lease on behalf of a person. Leases in other stores
 * cannot be listed: Redis has no order of names, and a store in memory knows only its own process.
 *
 * @since 0.1.0
 */
public final class StoredLeases {

    private final LeaseListTable table;
    private final OwnTransactions own;

    /**
     * Creates the list of the leases in a schema.
     *
     * @param schema the schema that contains the table of the leases
     * @param own the executor of transactions on the schema's data source
     */
    public StoredLeases(SagaSchema schema, OwnTransactions own) {
        this.table = new LeaseListTable(schema);
        this.own = own;
    }

    /**
     * Lists names of leases.
     *
     * @param query the query that selects the names
     * @return the names, ordered by name
     * @throws IllegalArgumentException if {@code after} is not the {@code next} of a page
     */
    public LeasePage list(LeaseQuery query) {
        String after = query.after() == null
                ? null
                : new String(Base64.getUrlDecoder().decode(query.after()), StandardCharsets.UTF_8);
        if (after != null && after.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "The start of the page is not readable. Use 'next' of the previous page.");
        }
        KeysetPage<LeaseView> page = own.single(connection -> table.list(connection, query, after));
        return new LeasePage(page.rows(), next(page.last()));
    }

    private static @Nullable String next(@Nullable LeaseView last) {
        return last == null
                ? null
                : Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(
                                LeaseName.stored(last.name(), last.tenant()).getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Finds a name.
     *
     * @param name the name
     * @return the name, or empty if it is unknown or was removed
     */
    public Optional<LeaseView> find(LeaseName name) {
        return own.single(connection -> table.find(connection, name));
    }

    /**
     * Frees a lease that a caller holds. Its previous owner can then neither renew, check, complete nor reattach the
     * lease, because the name gets a new token.
     *
     * @param name the name
     * @param token the token of the owner
     * @return the result
     */
    public Freeing free(LeaseName name, FencingToken token) {
        try {
            return own.single(connection -> table.free(connection, name, token)) ? Freeing.FREED : Freeing.NOT_HELD;
        } catch (LeaseTable.LockedException locked) {
            return Freeing.LOCKED;
        }
    }

    /**
     * Counts the leases that each node holds now, among the 10,000 names that were acquired or released last.
     *
     * @return the loads of the nodes
     */
    public NodeLoads loads() {
        return own.single(table::loads);
    }
}
