/** Entities of tables that an application without JPA describes. */
@NullMarked
package io.sagaspring.entity.described;

import org.jspecify.annotations.NullMarked;
