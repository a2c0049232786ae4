package io.sagaspring.database;

import io.sagaspring.fence.OwnTransactions;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections that belong to the current tenant, such as those of Hibernate's provider or of a routing data source. It
 * finds out once for each tenant which database they lead to.
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
     * @param pool opens connections that are used for nothing else
     * @param own the library's own transactions, which may share a connection of the thread
     */
    public record Connections(DataSource pool, OwnTransactions own) {}

    /**
     * Returns the database of the current tenant. When a tenant is new, finds its database and creates the library's tables
     * there.
     *
     * @return the database, whose tables exist
     * @throws IllegalStateException if the tenant has a database of its own, and no sweep would find a claim there
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

    /** Returns true if the database of the tenant is known or need not be found. */
    boolean knows(String tenant) {
        return connections == null || known.containsKey(tenant);
    }

    /** Returns true if the tenant was found in the database. */
    boolean isIn(Database database, String tenant) {
        return connections == null ? database.isHome() : database == known.get(tenant);
    }

    /** Forgets the databases of tenants that are not listed any more. The home database needs no list. */
    void retain(Collection<String> listed) {
        known.entrySet().removeIf(each -> !each.getValue().isHome() && !listed.contains(each.getKey()));
    }
}
