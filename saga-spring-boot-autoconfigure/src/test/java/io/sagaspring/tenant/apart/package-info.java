/** Entities in tables of their own for each tenant. */
@NullMarked
package io.sagaspring.tenant.apart;

import org.jspecify.annotations.NullMarked;
