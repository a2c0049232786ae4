package io.sagaspring.entity;

import io.sagaspring.tenant.Tenants;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a described table, whose rows belong to no tenant.
 *
 * @param all the tenants of the application, which has none
 */
record NoTableTenants(Tenants all) implements TableTenants {

    @Override
    public @Nullable String current(@Nullable Supplier<String> subject) {
        return null;
    }

    @Override
    public Object resolved() {
        throw new IllegalStateException("A described table has no column with a tenant.");
    }

    @Override
    public void requireHome(String database) {}

    @Override
    public boolean haveConnections() {
        return false;
    }
}
