/** Entities that record their last change, with Spring Data, Hibernate or listeners. */
@NullMarked
package io.sagaspring.entity.audited;

import org.jspecify.annotations.NullMarked;
