package io.sagaspring.test.saga;

import io.sagaspring.tenant.TenantContext;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The tenants of a test whose application defines none. Every tenant that the test names exists. */
final class AnyTenant implements TenantContext {

    private final ThreadLocal<@Nullable String> current = new ThreadLocal<>();
    private final Set<String> named = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable String current() {
        return current.get();
    }

    @Override
    public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
        if (tenant != null) {
            named.add(tenant);
        }
        String before = current.get();
        current.set(tenant);
        try {
            return work.call();
        } finally {
            current.set(before);
        }
    }

    @Override
    public Collection<String> all() {
        return named;
    }
}
