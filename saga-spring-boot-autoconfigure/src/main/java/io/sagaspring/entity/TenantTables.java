package io.sagaspring.entity;

import io.sagaspring.database.Database;
import io.sagaspring.fence.OwnTransactions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;

/**
 * The tables of one entity, at the place where each tenant's connections find them. Tenants that share a table also
 * share the {@link EntityTable}. The statements name the table with its schema, so that they do not depend on a search
 * path.
 */
final class TenantTables {

    private final TableParts parts;
    private final List<String> varying;
    private final BiFunction<TableParts, TableLocation, EntityTable> factory;
    private final Map<String, Located> byTenant = new ConcurrentHashMap<>();
    private final Map<Place, EntityTable> byPlace = new ConcurrentHashMap<>();

    /**
     * The place of an entity's tables.
     *
     * @param database the database
     * @param location the place of the version's table
     * @param names the table names with their schema, by the names that the mapping uses
     */
    record Place(Database database, TableLocation location, Map<String, String> names) {

        static Place of(Database database, OwnTransactions own, MappedColumns columns, List<String> varying) {
            Map<String, String> names = new HashMap<>();
            columns.tables()
                    .forEach(table -> TableLocation.qualified(own, table).ifPresent(found -> names.put(table, found)));
            return new Place(
                    database,
                    TableLocation.of(own, columns.versionTable(), columns.versionId(), varying),
                    Map.copyOf(names));
        }

        String of(String table) {
            return names.getOrDefault(table, table);
        }
    }

    /** A table of a tenant, with the database in which it was found. */
    private record Located(Database database, EntityTable table) {}

    /**
     * Creates tables that are not located yet.
     *
     * @param parts the parts of the table as the mapping names them
     * @param varying the columns of the id whose values may have several spellings
     * @param factory the function that creates the table of a tenant
     */
    TenantTables(TableParts parts, List<String> varying, BiFunction<TableParts, TableLocation, EntityTable> factory) {
        this.factory = factory;
        this.parts = parts;
        this.varying = varying;
    }

    /**
     * Returns a table name for messages and for comparing tables at start-up, when the application works for no tenant.
     */
    String nameOfAny() {
        AtomicReference<String> name = new AtomicReference<>(parts.columns().versionTable());
        parts.tenants().inAny(() -> name.set(here().name()));
        return name.get();
    }

    EntityTable here() {
        String tenant = parts.tenants().current(null);
        String key = tenant == null ? "" : tenant;
        // Look up the database each time. If TenantContext.all() no longer lists the tenant, no node sweeps the
        // tenant's database. The look-up then fails, so that no claim is made there.
        Database database = parts.tenants().database();
        Located known = byTenant.get(key);
        if (known != null && known.database() == database) {
            return known.table();
        }
        Place place = Place.of(database, parts.own(), parts.columns(), varying);
        if (!place.location().exists()) {
            return at(place);
        }
        EntityTable first = byPlace.get(place);
        if (first == null) {
            EntityTable created = at(place);
            EntityTable other = byPlace.putIfAbsent(place, created);
            first = other == null ? created : other;
        }
        byTenant.put(key, new Located(database, first));
        return first;
    }

    private EntityTable at(Place place) {
        TableParts there = parts.at(place);
        if (place.location().exists()) {
            // If the version is a time, read its column's type now, before the caller holds a connection.
            there.columns().version().locate();
        }
        return factory.apply(there, place.location());
    }
}
