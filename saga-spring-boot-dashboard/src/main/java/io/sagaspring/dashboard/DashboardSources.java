package io.sagaspring.dashboard;

import io.sagaspring.autoconfigure.NodeName;
import io.sagaspring.tenant.Tenants;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.env.Environment;

/**
 * The beans that the dashboard reads. They are looked up at each request, so that the dashboard creates no cycle between
 * beans.
 */
record DashboardSources(ListableBeanFactory beans) {

    /** Returns the bean of a capability, or null if the application does not use the capability. */
    <T> @Nullable T find(Class<T> type) {
        return provider(type).getIfAvailable();
    }

    <T> ObjectProvider<T> provider(Class<T> type) {
        return beans.getBeanProvider(type);
    }

    /** Returns the name of this node. */
    String node() {
        return beans.getBean(NodeName.class).value();
    }

    /** Returns the version of the application, or null if it is unknown. */
    @Nullable
    String version() {
        return beans.getBean(Environment.class).getProperty("spring.application.version");
    }

    /** Finds the bean with the operations on one kind of object. */
    <T> T operations(Class<T> type) {
        T found = find(type);
        if (found == null) {
            throw ProblemException.notFound("The application does not use this capability.");
        }
        return found;
    }

    /** Reads without a current tenant, and so sees the data of every tenant. */
    <T extends @Nullable Object> T ofAllTenants(Supplier<T> reading) {
        Tenants known = find(Tenants.class);
        return known == null ? reading.get() : known.in(null, reading);
    }

    /** Reads in the tenant that was stored with an object, because the application's codec may depend on it. */
    <T extends @Nullable Object> T inTenant(@Nullable String stored, Supplier<T> reading) {
        Tenants known = find(Tenants.class);
        return known == null ? reading.get() : known.in(stored, reading);
    }
}
