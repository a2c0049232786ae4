/** Entities with attributes whose classes have no {@code equals}. */
@NullMarked
package io.sagaspring.entity.equalless;

import org.jspecify.annotations.NullMarked;
