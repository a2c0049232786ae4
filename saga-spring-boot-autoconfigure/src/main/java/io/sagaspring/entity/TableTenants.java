package io.sagaspring.entity;

import io.sagaspring.tenant.Tenants;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tenants of the rows and tables of an entity. */
interface TableTenants {

    /** Returns the tenants of the application. */
    Tenants all();

    /**
     * Returns the tenant for which something is stored.
     *
     * @param subject the subject of the message if a tenant is required, or null if no tenant is required
     * @return the tenant's name, or null if the thread works for no tenant
     */
    @Nullable
    String current(@Nullable Supplier<String> subject);

    /** Returns the current tenant in the type of the tenant column. */
    Object resolved();

    /**
     * Requires that the tables of the current tenant are in the database with the library's tables.
     *
     * @param database the identity of the database with the tenant's tables
     */
    void requireHome(String database);

    /** Returns true if every connection belongs to a tenant. */
    boolean haveConnections();

    /**
     * Runs work that needs a connection. If connections belong to tenants, the work runs for the first tenant, if there
     * is one.
     */
    default void inAny(Runnable work) {
        if (!haveConnections()) {
            work.run();
            return;
        }
        all().all().stream().findFirst().ifPresent(first -> all().run(first, work));
    }
}
