/** Entities with separate tables for each tenant. */
@NullMarked
package io.sagaspring.tenant.apart;

import org.jspecify.annotations.NullMarked;
