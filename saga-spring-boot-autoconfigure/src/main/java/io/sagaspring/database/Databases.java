package io.sagaspring.database;

import io.sagaspring.fence.DatabaseIdentity;
import io.sagaspring.fence.Keeper;
import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.fence.ReadLimit;
import io.sagaspring.tenant.Tenants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The registry of the databases that hold claims:
 *
 * <ol>
 *   <li>The home database has all tables of the library. In most applications it is the only one.
 *   <li>If a tenant's connections lead to another database, that database gets the tables before the tenant's first
 *       claim.
 *   <li>The database of a tenant has a thread of its own for its sweeps and purges, and another one for its background
 *       work.
 *   <li>These threads end when {@code TenantContext.all()} no longer lists any tenant of the database.
 * </ol>
 *
 * @since 0.1.0
 */
public final class Databases {

    /** The longest time that a closing node waits for work that has begun, for all databases together. */
    private static final Duration LAST_TURNS = Duration.ofSeconds(2);

    private final Database home;
    private final Tenants tenants;
    private final @Nullable Settings settings;
    private final List<DatabaseSource> sources = new CopyOnWriteArrayList<>();
    private final Map<String, Database> others = new ConcurrentHashMap<>();
    private final DatabaseThreads threads;
    private final TenantSearch search;

    /**
     * The settings for the databases of tenants.
     *
     * @param keeper the heartbeat keeper of this node
     * @param open the consumer that creates or checks the library's tables through the given data source
     * @param turn the pause between two turns of the work on a database
     * @param look the pause between two readings of the list of tenants
     */
    public record Settings(Keeper keeper, Consumer<DataSource> open, Duration turn, Duration look) {}

    private Databases(OwnTransactions home, Tenants tenants, @Nullable Settings settings) {
        this.home = new Database(home);
        this.tenants = tenants;
        this.settings = settings;
        this.threads = new DatabaseThreads(tenants, settings);
        this.search = new TenantSearch(this, settings);
    }

    /**
     * Creates a registry with only the home database, for an application without tenants.
     *
     * @param home the transactions over the home database
     * @return the registry
     */
    public static Databases only(OwnTransactions home) {
        return only(home, Tenants.none());
    }

    /**
     * Creates a registry with only the home database, which all tenants share.
     *
     * @param home the transactions over the home database
     * @param tenants the tenants of the application
     * @return the registry
     */
    public static Databases only(OwnTransactions home, Tenants tenants) {
        return new Databases(home, tenants, null);
    }

    /**
     * Creates a registry.
     *
     * @param home the transactions over the home database
     * @param tenants the tenants of the application
     * @param settings the settings for the databases of tenants
     * @return the registry
     */
    public static Databases of(OwnTransactions home, Tenants tenants, Settings settings) {
        return new Databases(home, tenants, settings);
    }

    /** {@return the database with the runs, keys and leases of the application} */
    public Database home() {
        return home;
    }

    /** {@return the tenants of the application} */
    public Tenants tenants() {
        return tenants;
    }

    /** {@return all databases that are known now, the home database first} */
    public List<Database> all() {
        return Stream.concat(Stream.of(home), others.values().stream())
                .distinct()
                .toList();
    }

    /**
     * Returns the databases in which work of a tenant may be stored.
     *
     * @param tenant the tenant, or null for all
     * @return the databases in which the tenant was found, or the home database if it was found in none
     */
    public List<Database> of(@Nullable String tenant) {
        if (tenant == null) {
            return all();
        }
        List<Database> own =
                all().stream().filter(each -> each.tenants().contains(tenant)).toList();
        return own.isEmpty() ? List.of(home) : own;
    }

    /**
     * Returns a source whose connections always lead to the home database.
     *
     * @return the source
     */
    public DatabaseSource fixed() {
        return new DatabaseSource(this, null);
    }

    /**
     * Returns a source for the databases of the current tenants, or for the home database if there are no tenants.
     *
     * @param connections the connections, each of which belongs to the tenant that is current when it is opened
     * @return the source
     */
    public DatabaseSource source(DatabaseSource.Connections connections) {
        if (tenants.areNone()) {
            return fixed();
        }
        DatabaseSource made = new DatabaseSource(this, connections);
        sources.add(made);
        return made;
    }

    /**
     * Finds the database of the current tenant. Creates or checks the library's tables in a database that was not
     * known, unless it is the home database.
     */
    Database locate(String tenant, DatabaseSource.Connections connections) {
        String identity = DatabaseIdentity.of(connections.own());
        String homeIdentity = tenants.in(null, () -> DatabaseIdentity.of(home.own()));
        if (identity.equals(homeIdentity)) {
            return home;
        }
        requireListed(tenant);
        if (!DatabaseIdentity.of(home.own()).equals(homeIdentity)) {
            throw new IllegalStateException(
                    "Tenant '%s' has a database of its own, but while this tenant is current, the library's own data source does not lead to the home database. Choose a data source that does not route by tenant, and mark it with @SagaDataSource."
                            .formatted(tenant));
        }
        Database known = others.get(identity);
        if (known == null) {
            known = restarted(identity);
        }
        if (known == null) {
            known = opened(tenant, identity, connections);
        }
        known.add(tenant);
        search.found(tenant);
        return known;
    }

    /**
     * Finds a known database whose server has restarted, so that its identity is now the given one. Without this check,
     * one database would have two entries. A sweep of one entry would then refuse to revert claims of the tenants in
     * the other entry.
     */
    private @Nullable Database restarted(String identity) {
        for (Map.Entry<String, Database> each : others.entrySet()) {
            Database database = each.getValue();
            if (DatabaseIdentity.mayBeOne(each.getKey(), identity)
                    && threads.ask(List.of(database), asked -> DatabaseIdentity.of(asked.own()))
                            .contains(identity)) {
                others.put(identity, database);
                others.remove(each.getKey());
                return database;
            }
        }
        return null;
    }

    /**
     * Returns true if the entities of a tenant are in a database. Call this method in the context of the tenant.
     *
     * @param database the database of a tenant
     * @param tenant the current tenant, or null
     * @return true if connections of the tenant lead to the database
     */
    public boolean isIn(Database database, @Nullable String tenant) {
        return tenant != null && sources.stream().map(DatabaseSource::here).anyMatch(found -> found == database);
    }

    private void requireListed(String tenant) {
        if (!tenants.all().contains(tenant)) {
            throw new IllegalStateException(
                    "Tenant '%s' has a database of its own, but TenantContext.all() does not list it, so no sweep would free its claims after a crash. Add the tenant to the list."
                            .formatted(tenant));
        }
    }

    private Database opened(String tenant, String identity, DatabaseSource.Connections connections) {
        if (settings == null) {
            throw new IllegalStateException(
                    "This registry has only the home database, so it cannot open the database of tenant '%s'."
                            .formatted(tenant));
        }
        Database made = new Database(tenant, connections.pool(), tenants, settings.keeper());
        settings.open().accept(made.connections());
        Database other = others.putIfAbsent(identity, made);
        if (other == null) {
            threads.begin(made);
        }
        return other == null ? made : other;
    }

    /**
     * Returns true if a database still has work. If this method returns false, the work can fail at any time, because
     * the contexts of the database's tenants may be gone.
     *
     * @param database the database
     * @return true for the home database, or if one of the database's tenants is listed
     */
    public boolean isListed(Database database) {
        return database.isHome() || threads.isListed(database);
    }

    /**
     * Returns the listed tenants whose entities may be in a database. Leaves out each tenant whose database is not
     * known yet.
     *
     * @param database the database
     * @return the tenants
     */
    public List<String> tenantsIn(Database database) {
        List<String> all = tenants.all();
        return sources.isEmpty()
                ? (database.isHome() ? all : List.of())
                : all.stream()
                        .filter(tenant -> sources.stream().anyMatch(source -> source.isIn(database, tenant)))
                        .toList();
    }

    /**
     * Starts the work on the databases of tenants, and the search for the databases of the listed tenants. Waits only a
     * few seconds in all for databases that do not answer.
     *
     * @param work the work that each database needs
     */
    public void start(Collection<? extends DatabaseWork> work) {
        if (!sources.isEmpty()) {
            threads.start(work, others.values());
            search.start();
        }
    }

    /** Ends the work on the databases of tenants. */
    public void stop() {
        search.stop();
        threads.stop();
    }

    /** Waits a limited time for the work that has begun on the databases of tenants. */
    public void awaitEnd() {
        long giveUp = System.nanoTime() + LAST_TURNS.toNanos();
        search.awaitEnd(giveUp);
        threads.awaitEnd(giveUp);
    }

    /**
     * Forgets the tenants that are no longer listed, and ends the work on databases without tenants. Returns all
     * sources.
     */
    List<DatabaseSource> retain(List<String> listed) {
        sources.forEach(source -> source.retain(listed));
        others.values().removeIf(database -> {
            boolean gone = !database.retain(listed);
            if (gone) {
                threads.end(database);
            }
            return gone;
        });
        return sources;
    }

    /**
     * Returns the reasons why databases of tenants cannot be used now.
     *
     * @return the reasons, by tenant
     */
    public Map<String, Throwable> troubles() {
        Map<String, Throwable> found = new TreeMap<>(search.troubles());
        others.values().forEach(database -> {
            Throwable trouble = database.trouble();
            if (trouble != null) {
                database.tenants().forEach(tenant -> found.putIfAbsent(tenant, trouble));
            }
        });
        return found;
    }

    /**
     * Runs a query in several databases. The query in the home database runs on the calling thread. The queries in the
     * other databases run at the same time on other threads. If such a query fails or takes longer than 1 s, the
     * results do not include its database.
     *
     * @param tenant the tenant in whose databases the query runs, or null for all databases
     * @param question the query
     * @param <T> the type of a result
     * @return the results
     */
    public <T> List<T> ask(@Nullable String tenant, Function<Database, T> question) {
        List<Database> asked = of(tenant);
        List<T> answers = new ArrayList<>();
        asked.stream().filter(Database::isHome).map(question).forEach(answers::add);
        List<Database> separate = asked.stream().filter(each -> !each.isHome()).toList();
        if (!separate.isEmpty()) {
            answers.addAll(threads.ask(separate, ReadLimit.carried(question)));
        }
        return answers;
    }
}
