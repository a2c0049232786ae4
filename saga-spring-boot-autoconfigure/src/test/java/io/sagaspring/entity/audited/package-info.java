/** Entities that note their last change, for Spring Data, for Hibernate or for listeners. */
@NullMarked
package io.sagaspring.entity.audited;

import org.jspecify.annotations.NullMarked;
