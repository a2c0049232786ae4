package io.sagaspring.database;

import io.sagaspring.fence.OwnTransactions;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A source of connections for the current tenant, such as Hibernate's connection provider or a routing data source.
 * Finds out once for each tenant to which database the tenant's connections lead.
 *
 * @since 0.1.0
 */
public final class DatabaseSource {

    private final Databases databases;
    private final @Nullable Connections connections;
    private final Map<String, Database> known = new ConcurrentHashMap<>();

    DatabaseSource(Databases databases, @Nullable Connections connections) {
        this.databases = databases;
        this.connections = connections;
    }

    /**
     * The connections of the current tenant.
     *
     * @param pool the data source, which never returns a connection that the thread already uses
     * @param own the library's own transactions, which may share a connection of the thread
     */
    public record Connections(DataSource pool, OwnTransactions own) {}

    /**
     * Returns the database of the current tenant. For a new tenant, finds the database, and creates or checks the
     * library's tables there.
     *
     * @return the database, in which the library's tables exist
     * @throws IllegalStateException if the tenant has a database of its own, but {@code TenantContext.all()} does not
     *     list the tenant, or the library's own data source also routes by tenant
     */
    public Database here() {
        Connections dynamic = connections;
        String tenant = dynamic == null ? null : databases.tenants().current();
        if (dynamic == null || tenant == null) {
            return databases.home();
        }
        Database found = known.get(tenant);
        if (found == null) {
            found = databases.locate(tenant, dynamic);
            known.put(tenant, found);
        }
        return found;
    }

    /** Returns true if the database of the tenant is known, or if this source always leads to the home database. */
    boolean knows(String tenant) {
        return connections == null || known.containsKey(tenant);
    }

    /** Returns true if the tenant was found in the database. */
    boolean isIn(Database database, String tenant) {
        return connections == null ? database.isHome() : database == known.get(tenant);
    }

    /**
     * Forgets the databases of tenants that are no longer listed. Keeps an entry for the home database, because a
     * tenant in the home database need not be listed.
     */
    void retain(Collection<String> listed) {
        known.entrySet().removeIf(each -> !each.getValue().isHome() && !listed.contains(each.getKey()));
    }
}
