package io.sagaspring.tenant;

import java.util.Collection;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of the application. Declare one bean of this type if entities have a {@code @TenantId}, or if each tenant
 * has a schema or a database of its own. The library asks the bean for the tenant when it stores work, and enters this
 * tenant's context again when it continues the work.
 *
 * <p>A bean that uses a thread-local variable:
 *
 * <pre>{@code
 * public <T> T call(@Nullable String tenant, Callable<T> work) throws Exception {
 *     String before = CURRENT.get();
 *     CURRENT.set(tenant);
 *     try {
 *         return work.call();
 *     } finally {
 *         CURRENT.set(before);
 *     }
 * }
 * }</pre>
 *
 * <p>Many threads call the methods at the same time. The work of one {@link #call} can cause another {@code call} for a
 * different tenant.
 *
 * @since 0.1.0
 */
public interface TenantContext {

    /**
     * Returns the tenant for which the current thread works.
     *
     * @return the tenant's name, or null if the thread works for no tenant
     */
    @Nullable
    String current();

    /**
     * Runs work for a tenant on the current thread. Restores the previous tenant afterwards, even after an exception.
     *
     * @param tenant the tenant's name, or null to work for no tenant
     * @param work the work, which must be called exactly once
     * @param <T> the type of the result
     * @return the result of the work
     * @throws Exception if the work throws it (pass it on unchanged), or if the tenant does not exist
     */
    <T extends @Nullable Object> T call(@Nullable String tenant, Callable<T> work) throws Exception;

    /**
     * Lists the tenants that exist. The library calls this method regularly, so keep the result in memory.
     *
     * @return the names of all tenants
     */
    Collection<String> all();
}
