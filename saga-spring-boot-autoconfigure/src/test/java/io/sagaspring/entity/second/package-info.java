/** Entities of a second persistence unit, in which Hibernate enhances classes. */
@NullMarked
package io.sagaspring.entity.second;

import org.jspecify.annotations.NullMarked;
