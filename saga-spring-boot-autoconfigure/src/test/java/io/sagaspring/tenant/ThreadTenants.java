package io.sagaspring.tenant;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/** A context that uses a thread-local variable, as an application's context might do. */
public class ThreadTenants implements TenantContext {

    private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

    private final Set<String> all = new CopyOnWriteArraySet<>();
    private final Set<String> unlisted = new CopyOnWriteArraySet<>();

    /** Creates a context with tenants. */
    public ThreadTenants(String... all) {
        this.all.addAll(List.of(all));
    }

    @Override
    public @Nullable String current() {
        return CURRENT.get();
    }

    @Override
    public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
        if (tenant != null && !all.contains(tenant) && !unlisted.contains(tenant)) {
            throw new IllegalArgumentException("There is no tenant " + tenant);
        }
        String before = CURRENT.get();
        CURRENT.set(tenant);
        try {
            return work.call();
        } finally {
            CURRENT.set(before);
        }
    }

    @Override
    public Collection<String> all() {
        return all;
    }

    /** Changes the tenant of this thread without restoring the previous tenant. */
    public void leaveBehind(String tenant) {
        CURRENT.set(tenant);
    }

    /** Adds a tenant. */
    public void add(String tenant) {
        all.add(tenant);
    }

    /** Adds a tenant that {@link #all} does not list. */
    public void addUnlisted(String tenant) {
        unlisted.add(tenant);
    }

    /** Removes a tenant. After that, no work can run for this tenant. */
    public void remove(String tenant) {
        all.remove(tenant);
    }
}
