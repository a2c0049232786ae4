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
     * @param subject the subject of a message if there must be a tenant, or null if there may be none
     * @return the tenant's name, or null if the thread works for no tenant
     */
    @Nullable
    String current(@Nullable Supplier<String> subject);

    /** Returns the current tenant as the column of a row holds it. */
    Object resolved();

    /**
     * Requires that the tables of the current tenant are in the database with the library's tables.
     *
     * @param database the identity of the database with the tenant's tables
     */
    void requireHome(String database);

    /** Returns true if a connection is always one of a tenant. */
    boolean haveConnections();

    /** Runs work that needs a connection. If connections belong to tenants, it runs for the first one, if there is any. */
    default void inAny(Runnable work) {
        if (!haveConnections()) {
            work.run();
            return;
        }
        all().all().stream().findFirst().ifPresent(first -> all().run(first, work));
    }
}
