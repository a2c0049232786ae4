package io.sagaspring.entity;

import io.sagaspring.database.Database;
import io.sagaspring.database.Databases;
import io.sagaspring.tenant.Tenants;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a table that a {@link ClaimTable} describes. The rows of such a table belong to no tenant.
 *
 * @param databases the databases of the application; the table is in the home database
 */
record NoTableTenants(Databases databases) implements TableTenants {

    @Override
    public Tenants all() {
        return databases.tenants();
    }

    @Override
    public @Nullable String current(@Nullable Supplier<String> subject) {
        return null;
    }

    @Override
    public Object resolved() {
        throw new IllegalStateException("A table that a ClaimTable bean describes has no tenant column.");
    }

    @Override
    public Database database() {
        return databases.home();
    }

    @Override
    public boolean haveConnections() {
        return false;
    }

    @Override
    public void inAny(Runnable work) {
        work.run();
    }
}
