package io.sagaspring.database;

import io.sagaspring.fence.DatabaseIdentity;
import io.sagaspring.fence.JoinGuard;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.tenant.Tenants;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes the transactions of tenants that have a database of their own. Compares each tenant's database with the
 * home database once.
 *
 * @since 0.1.0
 */
public final class HomeGuard implements JoinGuard {

    private final Tenants tenants;
    private final OwnTransactions home;
    private final Map<String, Boolean> elsewhere = new ConcurrentHashMap<>();

    /** The identity of the home database when it was last read. A restart of the server changes the identity. */
    private volatile @Nullable String seen;

    /**
     * Creates a guard.
     *
     * @param tenants the tenants of the application
     * @param home the transactions over the home database
     */
    public HomeGuard(Tenants tenants, OwnTransactions home) {
        this.tenants = tenants;
        this.home = home;
    }

    @Override
    public @Nullable String tenantElsewhere(Connection connection) throws SQLException {
        String tenant = tenants.current();
        if (tenant == null) {
            return null;
        }
        Boolean known = elsewhere.get(tenant);
        if (known == null) {
            String found = DatabaseIdentity.of(connection);
            known = !found.equals(seen) && !found.equals(look());
            elsewhere.put(tenant, known);
        }
        return known ? tenant : null;
    }

    /**
     * Reads the identity of the home database. Uses a second connection, in addition to the transaction's connection.
     */
    private String look() {
        String identity = tenants.in(null, () -> DatabaseIdentity.of(home));
        seen = identity;
        return identity;
    }
}
