/**
 * The tenants of an application. The library stores the tenant with all work, and continues the work in that tenant's
 * context, on any thread and node. Without a {@link io.sagaspring.tenant.TenantContext} there are no tenants. Start
 * reading at {@link io.sagaspring.tenant.Tenants}.
 *
 * <p>Of the public types of this package, {@code Tenants} is for the library's other packages only, and may change at
 * any time.
 */
@NullMarked
package io.sagaspring.tenant;

import org.jspecify.annotations.NullMarked;
