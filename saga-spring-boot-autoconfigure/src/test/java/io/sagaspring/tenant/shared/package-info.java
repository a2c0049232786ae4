/** Entities in tables that tenants share. */
@NullMarked
package io.sagaspring.tenant.shared;

import org.jspecify.annotations.NullMarked;
