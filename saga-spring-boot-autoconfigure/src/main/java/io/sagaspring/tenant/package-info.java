/**
 * The tenants of an application. Everything that the library stores remembers the tenant for which it was stored, and goes on in
 * that tenant's context, on whatever thread and node. Without a {@link io.sagaspring.tenant.TenantContext} there are no tenants,
 * and nothing changes. Start reading at {@link io.sagaspring.tenant.Tenants}.
 *
 * <p>Of its public types, {@code Tenants} is for the library's other packages only, and may change at any time.
 */
@NullMarked
package io.sagaspring.tenant;

import org.jspecify.annotations.NullMarked;
