package io.sagaspring.entity;

import io.sagaspring.database.Database;
import io.sagaspring.database.DatabaseSource;
import io.sagaspring.tenant.Tenants;
import jakarta.persistence.EntityManagerFactory;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a persistence unit. The application's {@code TenantContext} and Hibernate's resolver must agree.
 * Otherwise JPA could work for a different tenant than the claim.
 */
final class UnitTenants implements TableTenants {

    private final Tenants tenants;
    private final EntityManagerFactory entityManagers;
    private final AnsweringTenants answering;
    private @Nullable DatabaseSource source;

    UnitTenants(Tenants tenants, EntityManagerFactory entityManagers) {
        this.tenants = tenants;
        this.entityManagers = entityManagers;
        this.answering = new AnsweringTenants(tenants);
    }

    /**
     * Sets the source of the databases. The constructor cannot set the source, because the source needs the connections
     * of these tenants.
     */
    void source(DatabaseSource databases) {
        source = databases;
    }

    @Override
    public Database database() {
        return Objects.requireNonNull(source, "The databases of the persistence unit have not been set yet.")
                .here();
    }

    boolean areNone() {
        return tenants.areNone();
    }

    @Override
    public Tenants all() {
        return tenants;
    }

    /**
     * Returns the connections of the current tenant, or the pool if Hibernate has no connection provider for tenants.
     */
    DataSource connections(DataSource pool) {
        return haveConnections() ? new TenantConnections(this::provider, this::resolved) : pool;
    }

    private boolean isWithProvider() {
        return factory().getSessionFactoryOptions().isMultiTenancyEnabled();
    }

    @SuppressWarnings("unchecked") // The provider accepts the values that the resolver returns.
    private MultiTenantConnectionProvider<Object> provider() {
        return factory().getServiceRegistry().requireService(MultiTenantConnectionProvider.class);
    }

    private SessionFactoryImplementor factory() {
        return entityManagers.unwrap(SessionFactoryImplementor.class);
    }

    @Override
    public @Nullable String current(@Nullable Supplier<String> subject) {
        String current = tenants.current();
        if (current == null) {
            if (subject != null) {
                throw new IllegalStateException(
                        "%s has a @TenantId, but this thread has no current tenant. Run the step in TenantContext.call, or make current() return the tenant."
                                .formatted(subject.get()));
            }
            return null;
        }
        String resolved = resolvedName();
        if (resolver() != null && !current.equals(resolved)) {
            throw new IllegalStateException(
                    "The current tenant is '%s' for the TenantContext and '%s' for Hibernate's CurrentTenantIdentifierResolver. Make both return the same tenant."
                            .formatted(current, resolved));
        }
        return current;
    }

    /** Returns Hibernate's current tenant. */
    @Override
    public Object resolved() {
        CurrentTenantIdentifierResolver<Object> resolver = resolver();
        Object resolved = resolver == null ? null : resolver.resolveCurrentTenantIdentifier();
        return Objects.requireNonNull(resolved, "Hibernate's CurrentTenantIdentifierResolver returned no tenant.");
    }

    private @Nullable CurrentTenantIdentifierResolver<Object> resolver() {
        return factory().getCurrentTenantIdentifierResolver();
    }

    /** Returns the name of Hibernate's current tenant, or null if Hibernate has no current tenant. */
    @Nullable
    String resolvedName() {
        CurrentTenantIdentifierResolver<Object> resolver = resolver();
        Object resolved = resolver == null ? null : resolver.resolveCurrentTenantIdentifier();
        return resolved == null ? null : factory().getTenantIdentifierJavaType().toString(resolved);
    }

    @Override
    public boolean haveConnections() {
        return !areNone() && isWithProvider();
    }

    @Override
    public void inAny(Runnable work) {
        if (haveConnections()) {
            answering.inAny(work);
        } else {
            work.run();
        }
    }

    /**
     * Returns true unless the session belongs to another tenant. If the application has no tenants, or Hibernate has no
     * resolver for them, no session belongs to another tenant.
     */
    boolean isOfCurrent(SharedSessionContractImplementor session) {
        return areNone() || resolver() == null || Objects.equals(session.getTenantIdentifier(), resolvedName());
    }

    /** Returns true if work for the current tenant may use the session's connection. */
    boolean mayShare(SharedSessionContractImplementor session) {
        return areNone() || (resolver() != null && isOfCurrent(session));
    }
}
