package io.sagaspring.database;

import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.LogText;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.RenewableLeases;
import io.sagaspring.fence.RenewableRows;
import io.sagaspring.fence.SeparateRows;
import io.sagaspring.tenant.Tenants;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database that has tables of the library: the home database, or the database of one or several tenants.
 *
 * @since 0.1.0
 */
public final class Database {

    private final String name;
    private final @Nullable TenantDataSource connections;
    private final @Nullable Keeper keeper;
    private final OwnTransactions own;
    private final NavigableSet<String> members = new ConcurrentSkipListSet<>();
    private final Map<RenewableRows, SeparateRows> leases = new ConcurrentHashMap<>();
    private volatile @Nullable Throwable trouble;

    /** Creates the object for the home database. */
    Database(OwnTransactions home) {
        this.name = "";
        this.connections = null;
        this.keeper = null;
        this.own = home;
    }

    /** Creates the object for the database of a tenant. */
    Database(String tenant, DataSource ofCurrentTenant, Tenants tenants, Keeper keeper) {
        this.name = tenant;
        this.members.add(tenant);
        this.keeper = keeper;
        this.connections =
                new TenantDataSource(ofCurrentTenant, tenants, () -> members.isEmpty() ? tenant : members.first());
        this.own = new OwnTransactions(connections);
    }

    /** {@return true if this is the database with the runs, keys and leases of the application} */
    public boolean isHome() {
        return connections == null;
    }

    /**
     * {@return the library's own transactions on this database; any thread can use them, whatever tenant the thread
     * has}
     */
    public OwnTransactions own() {
        return own;
    }

    /**
     * {@return the tenant for which the database was first found, for the names of threads; empty for the home
     * database}
     */
    public String name() {
        return name;
    }

    /** Returns the connections of a tenant's database. */
    DataSource connections() {
        if (connections == null) {
            throw new IllegalStateException(
                    "Only the database of a tenant has a TenantDataSource. Use own() for the home database.");
        }
        return connections;
    }

    /**
     * Returns the object through which the keeper renews the leases in a table of this database.
     *
     * @param rows the statements that renew the leases of the table
     * @return the same object for each call with the same statements
     */
    public RenewableLeases leases(RenewableRows rows) {
        Keeper separate = keeper;
        return separate == null
                ? rows
                : leases.computeIfAbsent(rows, each -> separate.separately(each, connections(), "A table in " + this));
    }

    /** {@return the tenants that were found in this database; empty for the home database} */
    public Set<String> tenants() {
        return members;
    }

    void add(String tenant) {
        members.add(tenant);
    }

    /** Removes the tenants that {@code TenantContext.all()} no longer lists. Returns true if any tenant is left. */
    boolean retain(Collection<String> listed) {
        members.retainAll(listed);
        return !members.isEmpty();
    }

    void releaseUnused() {
        leases.values().forEach(SeparateRows::releaseIfUnused);
    }

    /** {@return the failure of the latest work on this database, or null if it succeeded} */
    public @Nullable Throwable trouble() {
        return trouble;
    }

    void trouble(@Nullable Throwable failure) {
        trouble = failure;
    }

    @Override
    public String toString() {
        return isHome() ? "the home database" : "the database of tenant '%s'".formatted(LogText.of(name));
    }
}
