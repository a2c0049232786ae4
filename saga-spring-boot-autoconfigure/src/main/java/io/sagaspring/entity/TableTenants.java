package io.sagaspring.entity;

import io.sagaspring.database.Database;
import io.sagaspring.tenant.Tenants;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The tenants of the rows and tables of an entity. */
interface TableTenants {

    /** Returns the tenants of the application. */
    Tenants all();

    /**
     * Returns the current tenant, which is stored with a claim.
     *
     * @param subject the supplier of the text with which the message begins if a missing tenant causes an exception, or
     *     null if no tenant is required
     * @return the tenant's name, or null if the thread works for no tenant
     */
    @Nullable
    String current(@Nullable Supplier<String> subject);

    /** Returns the current tenant in the type of the tenant column. */
    Object resolved();

    /** Returns the database with the tables of the current tenant. This database also has tables of the library. */
    Database database();

    /** Returns true if every connection belongs to a tenant. */
    boolean haveConnections();

    /**
     * Runs work that needs a connection. If connections belong to tenants, the work runs for the first tenant whose
     * database answers. If no database answers, the work does not run. The work may run on another thread, and must not
     * change anything.
     */
    void inAny(Runnable work);
}
