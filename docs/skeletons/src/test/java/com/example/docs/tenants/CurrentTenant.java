package com.example.docs.tenants;

import io.sagaspring.tenant.TenantContext;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

@Component
class CurrentTenant implements TenantContext, CurrentTenantIdentifierResolver<String> {
    private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    @Override
    public @Nullable String current() {
        return TENANT.get();
    }

    @Override
    public <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception {
        String before = TENANT.get();
        TENANT.set(tenant);
        try {
            return work.call();
        } finally {
            TENANT.set(before);
        }
    }

    @Override
    public Collection<String> all() {
        return List.of("acme", "globex"); // read from your configuration or from a table
    }

    @Override
    public String resolveCurrentTenantIdentifier() {
        return Objects.requireNonNullElse(TENANT.get(), "none");
    }

    @Override
    public boolean validateExistingCurrentSessions() {
        return false;
    }
}
