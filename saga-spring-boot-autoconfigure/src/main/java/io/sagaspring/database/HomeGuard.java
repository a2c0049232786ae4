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
 * Recognizes the transactions of tenants that have a database of their own. It compares the databases once for each
 * tenant.
 *
 * @since 0.1.0
 */
public final class HomeGuard implements JoinGuard {

    private final Tenants tenants;
    private final OwnTransactions home;
    private final Map<String, Boolean> elsewhere = new ConcurrentHashMap<>();

    /** The home database as it was last seen. Its server may have restarted since then. */
    private volatile @Nullable String seen;

    /**
     * Creates a guard.
     *
     * @param tenants the tenants of the application
     * @param home transactions over the home database
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

    /** Looks at the home database, which needs a second connection beside that of the transaction. */
    private String look() {
        String identity = tenants.in(null, () -> DatabaseIdentity.of(home));
        seen = identity;
        return identity;
    }
}
